// The script of the page: sends the controls to the server and shows its response. It computes nothing itself.
"use strict";

const at = (id) => document.getElementById(id);
const state = { dials: [], key: document.body.dataset.key, value: document.body.dataset.value, draw: 0, asked: 0, moved: false };

async function ask(path, choice) {
  const response = await fetch(path + "?" + new URLSearchParams(choice));
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

// The policy's own interval may be between the steps of the sliders: it is used until one of them is moved.
const interval = () => (state.moved ? { low: at("low").value, high: at("high").value } : {});
const choice = () => ({ key: state.key, value: state.value, ...interval(), draw: state.draw });

function say(text, refused) {
  at("status").textContent = text;
  at("status").className = refused ? "refusal" : "";
}

// The nearest value of the control, since the interval of priors may have removed some values.
function nearest(values, wanted) {
  let best = 0;
  values.forEach((value, index) => {
    if (Math.abs(number(value) - number(wanted)) < Math.abs(number(values[best]) - number(wanted))) best = index;
  });
  return best;
}
function number(text) {
  const [top, bottom] = text.split("/");
  return Number(top) / (bottom ? Number(bottom) : 1);
}

function showDial() {
  const dial = state.dials.find((one) => one.key === state.key) || state.dials[0];
  if (!dial) throw new Error("no promise can be kept for these beliefs beforehand");
  state.key = dial.key;
  const index = nearest(dial.values, state.value);
  state.value = dial.values[index];
  at("kind").value = dial.key;
  at("value").max = dial.values.length - 1;
  at("value").value = index;
  at("value").setAttribute("aria-valuetext", dial.name + " " + dial.shown[index]);
  at("value-shown").textContent = dial.shown[index];
}

function showInterval() {
  if (!state.moved) return;
  const { low, high } = interval();
  at("low-shown").textContent = low === "0" ? "any" : low + "%";
  at("high-shown").textContent = high === "100" ? "any" : high + "%";
}

async function changeInterval() {
  const before = state.key;
  showInterval();
  try {
    state.dials = await ask("dials", interval());
    const kind = at("kind");
    kind.replaceChildren(...state.dials.map((dial) => new Option(dial.name, dial.key)));
    if (!state.dials.some((dial) => dial.key === before)) state.value = "2";
    showDial();
    await look();
  } catch (error) {
    say(error.message, true);
  }
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

function table(query) {
  const made = element("table");
  const head = made.createTHead().insertRow();
  const relative = query.errors.some((error) => error.relative);
  for (const name of ["answer", "off by at most"].concat(relative ? ["relative"] : [])) {
    const cell = element("th", name, name === "answer" ? "" : "number");
    cell.scope = "col";
    head.append(cell);
  }
  const body = made.createTBody();
  for (const error of query.errors) {
    const row = body.insertRow();
    const name = element("th", error.name);
    name.scope = "row";
    row.append(name, element("td", error.error, "number"));
    if (relative) row.append(element("td", error.relative || "", "number"));
  }
  return made;
}

function showQuery(query) {
  const made = element("section", undefined, "query");
  made.append(element("h3", query.name), table(query));
  for (const note of query.notes) made.append(element("p", note, "muted"));
  for (const svg of query.pictures) {
    const figure = element("figure");
    figure.innerHTML = svg; // drawn by the server, which escapes every text in it
    made.append(figure);
  }
  return made;
}

// Responses may arrive in another order than their requests: only the last request counts.
async function look() {
  const asked = ++state.asked;
  const chosen = choice();
  try {
    const view = await ask("view", chosen);
    if (asked !== state.asked) return;
    at("odds").textContent = view.odds;
    at("epsilon").textContent = view.epsilon;
    at("replaces").textContent = view.replaces.length ? "“Use these” replaces: " + view.replaces.join("; ") : "";
    at("use").disabled = false;
    at("sentence").textContent = view.sentence;
    at("people").innerHTML = view.people;
    at("belief").innerHTML = view.belief;
    at("queries").replaceChildren(...view.queries.map(showQuery));
    say("");
    const errors = await ask("errors", chosen);
    if (asked === state.asked) at("errors").innerHTML = errors;
  } catch (error) {
    if (asked !== state.asked) return;
    say(error.message, true);
    at("use").disabled = true;
  } finally {
    if (asked === state.asked) document.body.dataset.shown = String(asked);
  }
}

async function use() {
  try {
    const response = await fetch("policy", {
      method: "POST",
      headers: { "content-type": "application/json", "x-deniable": "use" },
      body: JSON.stringify({ ...choice(), ...Object.fromEntries(Object.entries(interval()).map(([end, value]) => [end, Number(value)])) }),
    });
    if (!response.ok) throw new Error(await response.text());
    say("Written into the policy. If answers were released under the old promise, run “deniable ledger change-promise” next.");
    at("use").disabled = true;
  } catch (error) {
    say(error.message, true);
  }
}

at("kind").addEventListener("change", () => { state.key = at("kind").value; state.value = "2"; showDial(); look(); });
at("value").addEventListener("input", () => {
  const dial = state.dials.find((one) => one.key === state.key);
  state.value = dial.values[Number(at("value").value)];
  showDial();
  look();
});
at("low").addEventListener("input", () => {
  state.moved = true;
  if (Number(at("low").value) > Number(at("high").value)) at("high").value = at("low").value;
  changeInterval();
});
at("high").addEventListener("input", () => {
  state.moved = true;
  if (Number(at("low").value) > Number(at("high").value)) at("low").value = at("high").value;
  changeInterval();
});
at("redraw").addEventListener("click", () => { state.draw += 1; look(); });
at("use").addEventListener("click", use);
changeInterval();
