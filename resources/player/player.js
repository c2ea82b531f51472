"use strict";
/* Plays what slotscope recorded: moments of a run, their pictures, their pseudocode and their sentences. */

const SIDE = 33, TILE = 32; // of tiles: pixels of a side, and from one to the next
const THEMES = ["light", "dark"];
const VEILED = "The answer stands here: it is shown once one is given.";
const VEIL = `<text class="veil" x="50%" y="50%">${VEILED}</text>`;
const byId = (id) => document.getElementById(id);

let chapters = [];
let chapter = null; // the run, or the step of a lesson, that is played
let number = 0; // of the chapter
let place = 0; // the moment's number in it
let theme = 0;
let timer = 0;
let views = []; // what of the page shows the panels
let codes = []; // and the pseudocode

function inflated(letters) {
  const packed = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")));
}

async function read() {
  const data = await inflated(byId("data").textContent).json();
  await Promise.all(data.chapters.flatMap((one) => one.panels.flatMap((panel) => panel.themes.map(unpack))));
  return data;
}

// Pictures.

function tileUrl(pixels, tile) {
  if (!pixels.urls[tile]) {
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = SIDE;
    const context = canvas.getContext("2d"), image = context.createImageData(SIDE, SIDE);
    const low = tile * SIDE * SIDE, high = pixels.bytes.length / 2 + low;
    for (let at = 0; at < SIDE * SIDE; at++) {
      const colour = pixels.bytes[low + at] + 256 * pixels.bytes[high + at];
      if (colour) { // 0 is beyond the edge
        const value = pixels.colours[colour - 1];
        image.data.set([value >> 16, (value >> 8) & 255, value & 255, 255], 4 * at);
      }
    }
    context.putImageData(image, 0, 0);
    pixels.urls[tile] = canvas.toDataURL();
  }
  return pixels.urls[tile];
}

function raster(vectors, [part, columns, ...tiles]) {
  const images = tiles.map((tile, at) => {
    const x = (at % columns) * TILE, y = Math.floor(at / columns) * TILE;
    return `<image x="${x}" y="${y}" width="${SIDE}" height="${SIDE}" href="${tileUrl(vectors, tile)}"/>`;
  });
  return vectors.parts[part] + images.join("") + "</g></g>";
}

function drawn(vectors, picture) {
  const parts = vectors.pictures[picture];
  return parts.map((part) => (typeof part === "number" ? vectors.parts[part] : raster(vectors, part))).join("");
}

async function unpack(vectors) {
  vectors.bytes = new Uint8Array(await inflated(vectors.tiles).arrayBuffer());
  vectors.urls = [];
}

// Building the page for a chapter.

function element(name, className, parent) {
  const made = document.createElement(name);
  made.className = className;
  parent.append(made);
  return made;
}

function panelView(panel, parent) {
  const figure = element("div", "shown", parent);
  figure.innerHTML = `<svg viewBox="0 0 ${panel.width} ${panel.height}" role="img"></svg>`;
  const words = element("p", "words", parent); // what readers of the screen say of the picture
  words.id = `words-${views.length}`;
  figure.firstChild.setAttribute("aria-describedby", words.id);
  return { panel, svg: figure.firstChild, words, seen: "" };
}

function codeView(code, parent) {
  const box = element("div", "code", parent);
  box.setAttribute("aria-label", "pseudocode");
  box.tabIndex = 0;
  const lines = code.map((line) => {
    if (line.head) element("div", "head", box).textContent = line.head;
    const row = element("div", "line", box);
    element("span", "number", row).textContent = line.number;
    const text = element("span", "text", row);
    text.style.setProperty("--indent", line.indent);
    text.innerHTML = line.text;
    if (line.printed) element("span", "printed", text).innerHTML = "in print: " + line.printed;
    return { row, values: element("span", "values", text) };
  });
  return { box, lines };
}

function build() {
  const lanes = byId("lanes");
  lanes.replaceChildren();
  byId("further").replaceChildren();
  lanes.className = chapter.lanes.length > 1 ? "" : "alone";
  lanes.style.setProperty("--lanes", chapter.lanes.length);
  views = [];
  codes = chapter.lanes.map((lane, at) => {
    const section = element("section", "lane", lanes);
    const left = element("div", "", section);
    if (chapter.lanes.length > 1) element("h2", "", left).textContent = lane.label;
    const view = panelView(chapter.panels[at], left);
    views.push(view);
    view.said = element("p", "said", left);
    view.said.setAttribute("aria-live", "polite");
    return codeView(lane.code, section);
  });
  for (const panel of chapter.panels.slice(chapter.lanes.length)) {
    const holder = element("div", "", byId("further"));
    element("h2", "", holder).textContent = panel.title;
    views.push(panelView(panel, holder));
  }
  const definitions = chapter.panels.map((panel) => panel.themes.map((one) => one.definitions.join("")).join(""));
  byId("definitions").innerHTML = `<defs>${definitions.join("")}</defs>`;
  byId("place").max = chapter.frames.length - 1;
}

// Showing a moment.

function show(at) {
  place = Math.max(0, Math.min(at, limit()));
  const frame = chapter.frames[place];
  views.forEach((view, panel) => showPicture(view, frame, panel));
  frame.lanes.forEach((lane, at) => {
    if (views[at].said.textContent !== lane.said) views[at].said.textContent = lane.said;
    showLine(codes[at], lane);
  });
  byId("where").textContent = `${frame.where}, ${frame.time}`;
  byId("place").value = place;
  byId("place").setAttribute("aria-valuetext", byId("where").textContent);
  byId("open").hidden = !chapter.line;
  byId("line").textContent = chapter.line + frame.moment;
  byId("digest").textContent = frame.lanes.map((lane) => lane.digest).join(" ");
  document.body.dataset.moment = frame.moment;
  for (const id of ["first", "event-back", "back"]) byId(id).disabled = place === 0;
  for (const id of ["last", "event-next", "next"]) byId(id).disabled = place === limit();
}

function showPicture(view, frame, panel) {
  const picture = frame.pictures[theme][panel], veiled = tellsWhatIsAsked(view.panel), key = `${theme} ${picture} ${veiled}`;
  if (view.seen !== key) view.svg.innerHTML = veiled ? VEIL : drawn(view.panel.themes[theme], picture);
  view.seen = key;
  const lane = frame.lanes[view.panel.lane];
  view.svg.setAttribute("aria-label", `${view.panel.title}. ${lane.said}`);
  view.words.textContent = veiled ? VEILED : chapter.words[frame.words[panel]];
}

function showLine(code, lane) {
  code.lines.forEach(({ row, values }, at) => {
    const found = lane.values[at] || [];
    const text = found.map(([value, fresh]) => `<span${fresh ? ' class="fresh"' : ""}>${value}</span>`).join("");
    if (values.innerHTML !== text) values.innerHTML = text;
    if (at === lane.line) row.setAttribute("aria-current", "step");
    else row.removeAttribute("aria-current");
  });
  const current = code.lines[lane.line];
  if (!current) return;
  const top = current.row.offsetTop, bottom = top + current.row.offsetHeight, box = code.box;
  if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) {
    box.scrollTop = Math.max(0, top - (box.clientHeight - current.row.offsetHeight) / 2);
  }
}

// Moving.

function eventFrom(by) {
  let at = place + by;
  while (at > 0 && at < limit() && chapter.frames[at].substep) at += by;
  return at;
}

function play(on) {
  clearInterval(timer);
  timer = 0;
  if (on && place === limit()) show(0);
  if (on) {
    timer = setInterval(() => (place < limit() ? show(place + 1) : play(false)), 1000 / Number(byId("speed").value));
  }
  byId("play").textContent = timer ? "Pause" : "Play";
}

function move(at) {
  play(false);
  show(at);
}

function changeSpeed(by) {
  const speed = byId("speed");
  speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + by));
  if (timer) play(true);
}

function setTheme(which) {
  theme = which;
  document.documentElement.dataset.theme = THEMES[which];
  byId("theme").textContent = which ? "Light" : "Dark";
  if (chapter) show(place);
}

// Lessons and their questions.

function open(which) {
  play(false);
  number = Math.max(0, Math.min(which, chapters.length - 1));
  chapter = chapters[number];
  build();
  byId("lesson").hidden = !chapter.text;
  byId("step-text").innerHTML = chapter.text;
  byId("step-count").textContent = `${number + 1} of ${chapters.length}`;
  byId("step-back").disabled = number === 0;
  byId("step-next").disabled = number === chapters.length - 1;
  ask();
  show(0);
}

function waits() {
  return Boolean(chapter.question) && !chapter.answered;
}

function tellsWhatIsAsked(panel) {
  if (!waits() || !chapter.question.veils) return false;
  return ["everything", chapter.question.veils].some((what) => panel.tells.includes(what));
}

function limit() {
  return waits() ? 0 : chapter.frames.length - 1;
}

function normal(text) {
  const digits = text.replace(/[₀-₉]/g, (digit) => String(digit.charCodeAt(0) - 0x2080));
  return digits.toLowerCase().replace(/[(),]/g, " ").replace(/^\s*(server|job|token|policy|type)s?\s+/, "").trim().replace(/\s+/g, " ");
}

function ask() {
  const question = chapter.question;
  byId("question").hidden = !question;
  if (!question) return;
  byId("asked").innerHTML = question.words;
  const choices = byId("choices");
  choices.replaceChildren();
  if (question.options.length) {
    for (const option of question.options) {
      const label = element("label", "", choices);
      label.innerHTML = '<input type="radio" name="answer">';
      label.firstChild.value = option;
      label.append(" " + option);
    }
  } else {
    const field = element("input", "", choices);
    field.type = "text";
    field.name = "answer";
    field.placeholder = question.allowed;
    field.setAttribute("aria-label", "your answer");
  }
  byId("verdict").textContent = chapter.answered || "";
  choices.hidden = !waits() || Boolean(question.sketch);
  byId("commit").hidden = !waits();
  byId("sketch").hidden = !question.sketch;
  if (question.sketch) paintSketch(question.sketch);
  byId("reveal").hidden = !waits();
}

// A curve that is drawn on: its points at the times wanted, by mouse or arrow keys.

const WIDE = 760, HIGH = 220, LEFT = 70, EDGE = 10, UNDER = 28;

function spot(sketch, time, value) {
  const across = time / sketch.wanted[sketch.wanted.length - 1], up = Math.min(1, Math.max(0, value / sketch.top));
  return [LEFT + (WIDE - LEFT - EDGE) * across, EDGE + (HIGH - UNDER - EDGE) * (1 - up)].map((at) => at.toFixed(1));
}

function paintSketch(sketch) {
  const last = sketch.times.length - 1, now = last < 0 ? [0, 0] : [sketch.times[last], sketch.values[last]];
  sketch.hand ||= sketch.wanted.map(() => now[1]);
  sketch.point ??= 0;
  const curve = (times, values, look) =>
    `<polyline class="${look}" points="${times.map((time, n) => spot(sketch, time, values[n])).join(" ")}"/>`;
  const on = (values, look) => curve([now[0], ...sketch.wanted], [now[1], ...values], look);
  const dots = sketch.wanted.map((time, n) => {
    const [x, y] = spot(sketch, time, sketch.hand[n]);
    return `<circle cx="${x}" cy="${y}" r="5" class="${n === sketch.point ? "chosen" : ""}"/>`;
  });
  const end = sketch.wanted[sketch.wanted.length - 1], foot = HIGH - UNDER;
  byId("sketch").innerHTML = `<svg viewBox="0 0 ${WIDE} ${HIGH}" aria-hidden="true">
    <path d="M${LEFT} ${EDGE}V${foot}H${WIDE - EDGE}"/>
    <text x="${LEFT - 8}" y="${EDGE + 8}" text-anchor="end">${sketch.top}</text>
    <text x="${LEFT - 8}" y="${foot}" text-anchor="end">0</text>
    <text x="${WIDE - EDGE}" y="${HIGH - 6}" text-anchor="end">t = ${end}</text>
    ${curve(sketch.times, sketch.values, "known")}${waits() ? "" : on(sketch.right, "known")}
    ${on(sketch.hand, "hand")}${dots.join("")}</svg>`;
}

function draw(event) {
  const sketch = chapter.question.sketch, box = byId("sketch").getBoundingClientRect();
  if (!waits() || !event.buttons) return;
  const x = (event.clientX - box.left) * WIDE / box.width, y = (event.clientY - box.top) * WIDE / box.width;
  const away = sketch.wanted.map((time) => Math.abs(spot(sketch, time, 0)[0] - x));
  sketch.point = away.indexOf(Math.min(...away));
  bend(sketch, (1 - (y - EDGE) / (HIGH - UNDER - EDGE)) * sketch.top);
}

function bend(sketch, value) {
  sketch.hand[sketch.point] = Math.min(sketch.top, Math.max(0, value));
  byId("verdict").textContent =
    `t = ${sketch.wanted[sketch.point]}: ${Number(sketch.hand[sketch.point].toPrecision(4))}`;
  paintSketch(sketch);
}

function drawByKey(event) {
  const sketch = chapter.question.sketch, along = {ArrowLeft: -1, ArrowRight: 1}[event.key] || 0;
  const up = {ArrowUp: 1, ArrowDown: -1}[event.key] || 0;
  if (!waits() || !(along || up)) return;
  sketch.point = Math.min(sketch.wanted.length - 1, Math.max(0, sketch.point + along));
  bend(sketch, sketch.hand[sketch.point] + up * sketch.top / 40);
  event.preventDefault();
  event.stopPropagation(); // they step no run
}

function gradeSketch(sketch) {
  const apart = sketch.hand.map((value, n) => Math.abs(value - sketch.right[n]) / sketch.scale);
  const away = apart.reduce((sum, one) => sum + one, 0) / apart.length, told = (share) => `${Math.round(100 * share)}%`;
  return away <= sketch.near ? `✓ Right: ${chapter.question.reason}`
    : `✗ Not so: it is ${told(away)} of the largest value away on average; allowed are ${told(sketch.near)}.`;
}

function grade(answer) {
  const question = chapter.question, given = normal(answer);
  if (question.sketch) return gradeSketch(question.sketch);
  if (!given) return "";
  if (!question.answers) {
    return given === normal(question.taken) ? `✓ Right: ${question.reason}` : `✗ Not so. Right is ${question.taken}. ${question.reason}`;
  }
  const found = Object.entries(question.answers).find(([known]) => normal(known) === given);
  return found ? `${found[1][0] ? "✓" : "✗"} ${found[1][1]}` : "";
}

function commit() {
  const answer = new FormData(byId("question")).get("answer") || "", said = grade(answer);
  if (said) end(said);
  else byId("verdict").textContent = `Found '${answer}', allowed: ${chapter.question.allowed}.`;
}

function end(said) {
  chapter.answered = said;
  ask();
  show(chapter.question.decided); // stepped out, to where the policy has decided
}

function reveal() {
  if (waits()) end(`${chapter.question.taken}: ${chapter.question.reason}`);
}

// Keys and buttons.

const COMMANDS = {
  "first": () => move(0),
  "event-back": () => move(eventFrom(-1)),
  "back": () => move(place - 1),
  "play": () => play(!timer),
  "next": () => move(place + 1),
  "event-next": () => move(eventFrom(1)),
  "last": () => move(limit()),
  "theme": () => setTheme(1 - theme),
  "step-back": () => open(number - 1),
  "step-next": () => open(number + 1),
  "reveal": reveal,
};

const KEYS = {
  "ArrowRight": "event-next", "ArrowLeft": "event-back", "Shift ArrowRight": "next", "Shift ArrowLeft": "back",
  " ": "play", "Home": "first", "End": "last", "d": "theme", "r": "reveal",
  "PageDown": "step-next", "PageUp": "step-back",
};

function pressed(event) {
  const typing = event.target.type === "text" || event.ctrlKey || event.altKey || event.metaKey;
  const onButton = event.key === " " && ["BUTTON", "SELECT"].includes(event.target.tagName);
  const choosing = event.target.type === "radio" && (event.key.startsWith("Arrow") || event.key === " ");
  if (typing || onButton || choosing) return;
  const name = (event.shiftKey && event.key.length > 1 ? "Shift " : "") + (event.key.length === 1 ? event.key.toLowerCase() : event.key);
  const paging = event.key.startsWith("Page") && chapters.length < 2;
  if (event.key === "<" || event.key === ">") changeSpeed(event.key === ">" ? 1 : -1);
  else if (KEYS[name] && !paging) COMMANDS[KEYS[name]]();
  else return;
  event.preventDefault();
}

function begin(data) {
  chapters = data.chapters;
  for (const id of ["controls", "foot"]) byId(id).hidden = false; // there is something to play, and to tell of it
  for (const [id, command] of Object.entries(COMMANDS)) byId(id).addEventListener("click", command);
  byId("place").addEventListener("input", (event) => move(Number(event.target.value)));
  byId("speed").addEventListener("change", () => timer && play(true));
  for (const kind of ["pointerdown", "pointermove"]) byId("sketch").addEventListener(kind, draw);
  byId("sketch").addEventListener("keydown", drawByKey);
  byId("question").addEventListener("submit", (event) => { event.preventDefault(); commit(); });
  document.addEventListener("keydown", pressed);
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? 1 : 0);
  open(0);
  const wanted = location.hash.slice(1).replace("%2C", ","); // of 40,41 as some programs write it
  const at = chapter.frames.findIndex((frame) => frame.moment === wanted);
  if (at > 0) show(at);
  document.body.dataset.ready = "yes";
}

byId("where").textContent = "Unpacking ...";
read().then(begin).catch((fault) => {
  byId("where").textContent = `This page cannot be played here: ${fault.message}. It needs a browser of 2023 or later.`;
});
