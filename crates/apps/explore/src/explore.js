// The script of the page: sends the controls to the server and shows its response. It computes nothing itself.
"use strict";

const at = (id) => document.getElementById(id);
const state = { dials: [], own: {}, key: "", value: "", draw: 0, asked: 0, moved: false, change: "", looking: null };

async function ask(path, choice) {
  const response = await fetch(path + "?" + new URLSearchParams(choice));
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

async function send(path, body) {
  const headers = { "content-type": "application/json", "x-deniable": "write" };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

// The policy's own interval may be between the steps of the sliders: it is used until one of them is moved.
const interval = () => (state.moved ? { low: Number(at("low").value), high: Number(at("high").value) } : {});
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
  const { low, high } = interval();
  at("low-shown").textContent = !state.moved ? state.own.low_shown : low === 0 ? "any" : low + "%";
  at("high-shown").textContent = !state.moved ? state.own.high_shown : high === 100 ? "any" : high + "%";
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

// The state of the policy's file: that of the page when it is opened, after a write, and after "Undo".
async function showOwn() {
  try {
    state.own = await ask("own", {});
  } catch (error) {
    return say(error.message, true);
  }
  Object.assign(state, { key: state.own.key, value: state.own.value, moved: false });
  at("low").value = state.own.low;
  at("high").value = state.own.high;
  await changeInterval();
}

function element(name, className, ...content) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
}

// Keys of the policy are between backticks.
function withKeys(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", "", part) : part));
}

// Pictures are drawn by the server, which escapes every text in them.
function figure(svg) {
  const made = element("figure");
  made.innerHTML = svg;
  return made;
}

// The parts of a card are kept, so that nothing moves while its chart is computed.
function newCard() {
  const made = element("section", "query");
  made.parts = {
    title: element("h3"), sign: element("span", "sign"), light: element("strong"), detail: element("span", "muted"),
    charts: element("div", "charts"), errors: element("dl", "errors"), pictures: element("div", "pictures"),
  };
  const { title, sign, light, detail, charts, errors, pictures } = made.parts;
  sign.setAttribute("aria-hidden", "true");
  made.append(
    element("div", "head", title, element("p", "light", sign, element("span", "", light, ": ", detail))),
    element("div", "body", element("div", "own", charts, errors), pictures),
  );
  return made;
}

function showCard(card, query) {
  const { title, sign, light, detail, errors, pictures } = card.parts;
  title.textContent = query.title;
  sign.className = "sign " + query.light.sign;
  light.textContent = query.light.words;
  detail.replaceChildren(...withKeys(query.light.detail));
  errors.replaceChildren(...query.errors.map((error) => {
    const relative = error.relative ? [element("span", "muted", "; " + error.relative)] : [];
    return element("div", "", element("dt", "", error.name), element("dd", "", error.error, ...relative));
  }));
  const figures = query.pictures.map(figure);
  if (figures.length < 2) return pictures.replaceChildren(...figures);
  const folded = pictures.querySelector("details") || element("details");
  folded.replaceChildren(element("summary", "", `${figures.length} pictures of the answers on made-up rows`), ...figures);
  pictures.replaceChildren(folded);
}

function showQueries(queries) {
  const all = at("queries");
  while (all.children.length < queries.length) all.append(newCard());
  queries.forEach((query, index) => showCard(all.children[index], query));
}

function showChange(change) {
  const { written } = state.own;
  state.change = change;
  at("change").textContent = change ? "Differs from the policy: " + change : written ? "Written into the policy: " + written : "";
  at("write").disabled = !change;
  at("undo").disabled = !change && !written;
}

// One request at a time: while a slider moves, only its last position is worth an answer.
function look() {
  state.asked += 1;
  state.looking ||= showLast().finally(() => { state.looking = null; });
  return state.looking;
}

async function showLast() {
  for (let asked = 0; asked !== state.asked;) {
    asked = state.asked;
    const chosen = choice();
    try {
      showView(await ask("view", chosen));
      if (asked !== state.asked) continue;
      const charts = await ask("charts", chosen);
      charts.forEach((svgs, index) => at("queries").children[index].parts.charts.replaceChildren(...svgs.map(figure)));
    } catch (error) {
      say(error.message, true);
      // The page below still shows the last choice that can be kept.
      showChange("a promise that cannot be kept");
      at("write").disabled = true;
    }
    document.body.dataset.shown = String(asked);
  }
}

function showView(view) {
  at("odds").textContent = view.odds;
  at("epsilon").textContent = view.epsilon;
  showChange(view.change);
  at("sentence").textContent = view.sentence;
  at("but-for").textContent = view.but_for;
  at("people").innerHTML = view.people;
  at("belief").innerHTML = view.belief;
  showQueries(view.queries);
  say("");
}

async function write() {
  try {
    await send("policy", choice());
    await showOwn();
    say("If answers were released under the old promise, run “deniable ledger change-promise” next.");
  } catch (error) {
    say(error.message, true);
  }
}

// Reverts what was moved; if nothing was, restores the text of the file before the last write.
async function undo() {
  try {
    const restores = !state.change;
    if (restores) await send("undo", {});
    await showOwn();
    if (restores) say("The earlier text of the policy was restored.");
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
at("write").addEventListener("click", write);
at("undo").addEventListener("click", undo);
showOwn();
