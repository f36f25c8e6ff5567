//! `deniable init --dictionary`: the contents of a public codebook are filled in, and nothing else.

use crate::support::Place;
use std::fmt::Write;

const DATA: &str = "who,sex,age,cost,ward,born,seen,smoker,left\nSECRET,0,41,9.5,N,2000-01-01,,yes,\n";

/// The part of the policy between the columns and the adversary.
fn columns(policy: &str) -> &str {
    let (begin, end) = (policy.find("[columns.").unwrap(), policy.find("[adversary]").unwrap());
    &policy[begin..end]
}

#[test]
fn codebook_values_are_filled_in() {
    let place = Place::empty();
    place.write("visits.csv", DATA);
    place.write(
        "codebook.csv",
        "\u{feff}Name,type,codes,labels,bounds,step,description\n\
         who,text,,,,,\n\
         sex,integer,0|1|9,men|women|not told,,,\"sex,\n as registered\"\n\
         age,,,,0..110,,\n\
         cost,number,,,[0; 99.5],0.5,in euros\n\
         ward,,N=north | S=,,,,\n\
         born,date,,,1900-01-01..2024-12-31,,\n\
         \n\
         seen,timestamp,,,2020-01-01 to 2024-12-31 18:30,,\n\
         smoker,bool,yes;no,smokes;does not,,,\n\
         weight,decimal,,,,,\n\
         borne,date,,,,,\n",
    );
    let run = place.run(&["init", "visits.csv", "--dictionary", "codebook.csv"]).done();
    assert!(!run.stdout.contains("SECRET") && !run.stderr.contains("SECRET"), "{run:?}");
    insta::assert_snapshot!(columns(&run.stdout));
    insta::assert_snapshot!(run.stderr);
    // A policy accepts the written columns.
    place.write("policy.toml", &run.stdout);
    let told = place.run(&["plan", "policy.toml"]).refused().stderr;
    assert_eq!(told.matches("is not decided yet").count(), run.stdout.matches("= \"?\"").count(), "{told}");
    let errors = told.lines().filter(|line| line.starts_with("  × "));
    assert!(errors.clone().count() > 0 && errors.clone().all(|line| line.contains("is not decided yet")), "{told}");
}

#[test]
fn redcap_dictionary_is_a_codebook() {
    let place = Place::empty();
    place.write("visits.csv", "record_id,sex,age,bmi,visit,drugs___1,drugs____8,note,consent\n1,2,3,4,5,6,7,8,9\n");
    place.write(
        "dictionary.csv",
        "\"Variable / Field Name\",\"Form Name\",\"Section Header\",\"Field Type\",\"Field Label\",\"Choices, Calculations, OR Slider \
         Labels\",\"Field Note\",\"Text Validation Type OR Show Slider Number\",\"Text Validation Min\",\"Text Validation Max\"\n\
         record_id,base,,text,Record,,,,,\n\
         sex,base,,radio,Sex,\"1, Men | 2, Women, also trans women\",,,,\n\
         age,base,,text,Age,,,integer,0,110\n\
         bmi,base,,calc,BMI,\"[weight] / [height], 2\",,,,\n\
         visit,base,,text,Visit,,,date_dmy,2020-01-01,\n\
         drugs,base,,checkbox,Drugs,\"1, Aspirin | -8, None\",,,,\n\
         note,base,,notes,Note,,,,,\n\
         consent,base,,yesno,Consent,,,,,\n",
    );
    let run = place.run(&["init", "visits.csv", "--dictionary", "dictionary.csv"]).done();
    insta::assert_snapshot!(columns(&run.stdout));
    assert!(!run.stderr.contains("says nothing") && !run.stderr.contains("has no column"), "{run:?}");
}

#[test]
fn errors_of_a_codebook_name_line_and_column() {
    let place = Place::empty();
    place.write("t.csv", "a,b\n1,2\n");
    let mut told = String::new();
    for codebook in [
        "",
        "SECRET-1,1985\nx,y\n",
        "name,type,variable\na,text,b\n",
        "name,type\n,text\na,textt\na,text\na,integer\n",
        "name,type,codes,labels\na,integer,0|1,men\n",
        "name,type,codes,labels\na,integer,0|x,men|women\nb,text,a|b|a,,\n",
        "name,type,codes,labels\na,decimal,1|2,one|two\nb,,1|2,one|one\n",
        "name,codes,labels\na,1|2,(all)|b\nb,1|2,one\u{202e}|two\n",
        "name,type,bounds\na,integer,0..1.5\nb,text,0..1\n",
        "name,type,bounds\na,integer,110\nb,decimal,5..1\n",
        "name,type,bounds,step\na,date,2024-02-30..2024-12-31,\nb,decimal,0..1,0\n",
        "name,type,bounds,step\na,decimal,,0.5\nb,,one..two,\n",
        "Variable / Field Name;Field Type;Choices, Calculations, OR Slider Labels\na;radio;1 | 2\n",
        "Variable / Field Name,Field Type,\"Choices, Calculations, OR Slider Labels\"\na,radio,\"1, yes | no\"\n",
    ] {
        place.write("codebook.csv", codebook);
        let run = place.run(&["init", "t.csv", "--dictionary", "codebook.csv"]).refused();
        assert!(!run.stderr.contains("SECRET"), "{run:?}");
        writeln!(
            told,
            "# {}\n{}",
            codebook.replace('\n', "\\n").replace('\u{202e}', "<202e>"),
            place.plain(&run.stderr)
        )
        .unwrap();
    }
    place.write("codebook.csv", b"name\nk\xf6ln\n");
    for missing in ["codebook.csv", "nowhere.csv"] {
        let run = place.run(&["init", "t.csv", "--dictionary", missing]).refused();
        writeln!(told, "{}", place.plain(&run.stderr)).unwrap();
    }
    insta::assert_snapshot!(told);
}

/// A line of a codebook that looks like TOML of a policy becomes a comment, a key or a label.
#[test]
fn codebook_text_cannot_inject_policy_keys() {
    let place = Place::empty();
    place.write("t.csv", "a,b\n1,2\n");
    place.write(
        "codebook.csv",
        "name,type,codes,labels,description\na,text,\"x\"\" = 1|]\",\"men\"\"}|[promise]\",\"first\n[promise]\nepsilon = 9\r\u{2028}x\"\n",
    );
    let run = place.run(&["init", "t.csv", "--dictionary", "codebook.csv"]).done();
    insta::assert_snapshot!(columns(&run.stdout));
    assert_eq!(run.stdout.lines().filter(|line| line.trim() == "[promise]").count(), 1, "{}", run.stdout);
}
