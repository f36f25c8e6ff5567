# R's DBI: tables and fields, an answer for a stated price, the same for free, parameters, and rows in batches.
suppressPackageStartupMessages({
    library(DBI)
    library(RPostgreSQL)
})

place <- commandArgs(trailingOnly = TRUE)
connection <- dbConnect(PostgreSQL(), host = place[1], port = as.integer(place[2]), user = place[3], password = place[4], dbname = place[5])
sql <- "SELECT department, COUNT(*) AS n, SUM(cost) AS c, AVG(age) AS a FROM visits WHERE age > 40 GROUP BY department ORDER BY department"

tables <- dbListTables(connection)
fields <- dbListFields(connection, "visits")
stopifnot("visits" %in% tables, "budget" %in% tables, dbExistsTable(connection, "visits"), !dbExistsTable(connection, "nothing"))
stopifnot(identical(fields, c("patient", "age", "minutes", "cost", "sex", "department", "smoker")))
cat("tables:", length(tables), "fields:", length(fields), "\n")

# Without a price there is only an error that explains how to state one.
unpaid <- tryCatch(suppressWarnings(dbGetQuery(connection, sql)), error = function(error) NULL)
stopifnot(is.null(unpaid), grepl("it states no price", dbGetException(connection)$errorMsg))

invisible(dbGetQuery(connection, "SET deniable.spend = '1/10'"))
paid <- dbGetQuery(connection, sql)
invisible(dbGetQuery(connection, "RESET deniable.spend"))
again <- dbGetQuery(connection, sql)
stopifnot(nrow(paid) == 5, identical(paid, again), identical(names(paid), c("department", "n", "c", "a")))
# The driver returns doubles for all numbers; the server's statements about them are in further columns.
stopifnot(is.character(paid$department), is.numeric(paid$n), all(paid$n == round(paid$n)), is.numeric(paid$c), is.double(paid$a))
cat("the same for nothing:", nrow(again), "rows\n")

result <- dbSendQuery(connection, sql)
types <- dbColumnInfo(result)
stopifnot(identical(types$type, c("TEXT", "BIGINT", "DECIMAL", "FLOAT8")), identical(types$name, names(paid)))
some <- fetch(result, n = 2)
rest <- fetch(result, n = -1)
stopifnot(nrow(some) == 2, nrow(rest) == 3, identical(c(some$n, rest$n), paid$n), dbHasCompleted(result))
invisible(dbClearResult(result))
cat("types:", types$type, "\n")

parameters <- dbGetQuery(connection, sub("> 40", "> $1", sql, fixed = TRUE), c(40))
stopifnot(identical(parameters, paid))
commented <- dbGetQuery(connection, "/* deniable.spend = 1/10 */ SELECT COUNT(*) AS n FROM visits")
stopifnot(nrow(commented) == 1)
cat("with a parameter:", nrow(parameters), "rows\n")

# NULL stands for all values.
simulated <- dbGetQuery(connection, "SELECT sex, COUNT(*) AS n FROM simulated.visits GROUP BY ROLLUP (sex)")
stopifnot(any(is.na(simulated$sex)))
spent <- dbGetQuery(connection, "SELECT spent FROM deniable.budget")$spent
stopifnot(isTRUE(all.equal(spent, 0.2)))
invisible(dbDisconnect(connection))
cat("done\n")
