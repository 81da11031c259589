// How a practice task looks, and what it says. Each kind is drawn by one function, which calls `answered`
// with true or false at each answer, and with "done" when the task is at its end.
"use strict";

const pfTasks = (() => {
  let serial = 0;

  /** An element with properties (`class`, `text`, or any of its own) and children. */
  function make(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
      if (name === "class") made.className = value;
      else if (name === "text") made.textContent = value;
      else if (name in made) made[name] = value;
      else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
  }

  const button = (text, press, properties = {}) =>
    make("button", { type: "button", text, onclick: press, ...properties });

  /** A line of text in which `code` and *emphasis* are marked. */
  function rich(text) {
    return text.split(/(`[^`]+`|\B\*[^*\s][^*]*\*(?![\w*]))/).map((part, i) => {
      if (i % 2 === 0) return part;
      return make(part[0] === "`" ? "code" : "em", { text: part.slice(1, -1) });
    });
  }

  /** What a function is for, from its docstring: paragraphs, a line for each argument, indented code. */
  function about(text) {
    return text.split(/\n\s*\n/).map((paragraph) => {
      if (/^ {4}/.test(paragraph)) return make("pre", { text: paragraph, tabIndex: 0 });
      const lines = paragraph.split("\n").reduce((done, line) => {
        if (!done.length || /^([\w`]+(, [\w`]+)*: |Returns\b)/.test(line)) return [...done, line];
        return [...done.slice(0, -1), `${done.at(-1)} ${line.trim()}`];
      }, []);
      return make("p", {}, ...lines.flatMap((line, i) => (i ? [make("br"), ...rich(line)] : rich(line))));
    });
  }

  const code = (text) => make("code", { class: "pf-practice-code", text });

  const call = (task) => make("pre", { class: "pf-practice-call", text: task.call });

  /** Where the answers are replied to, and heard. */
  function replies() {
    const place = make("p", { role: "status", class: "pf-reply" });
    place.say = (right, text) => {
      const verdict = right === null ? "" : right ? "✓ Right. " : "✗ Not quite. ";
      place.className = `pf-reply${right === null ? "" : right ? " pf-is-right" : " pf-is-wrong"}`;
      place.replaceChildren(make("strong", { text: verdict }), ...rich(text));
    };
    return place;
  }

  /** Buttons of which one is right; `then` is called when it is found. */
  function choices(name, listed, place, answered, then) {
    const group = make("div", { class: "pf-practice-lines", role: "group", "aria-label": name });
    listed.forEach((choice, i) => {
      const made = make("button", { type: "button", class: "pf-code-line", "aria-pressed": "false" }, code(choice.text));
      if (listed.numbered) made.setAttribute("aria-label", `Line ${i + 1}: ${choice.text.trim()}`);
      made.addEventListener("click", () => {
        for (const each of group.children) each.setAttribute("aria-pressed", String(each === made));
        place.say(choice.right, choice.reply);
        answered(choice.right);
        if (!choice.right) return;
        made.classList.add("pf-is-right");
        then();
      });
      group.append(made);
    });
    return group;
  }

  function findTheBug(task, answered) {
    const place = replies();
    const lines = [...task.lines];
    lines.numbered = true;
    const body = make("div", {},
      make("p", { text: "This call goes wrong:" }), call(task),
      make("p", {}, `It ${task.raised ? "raises" : "returns"} `, code(task.got), ", but it should return ",
        code(task.expected), ". Which line is wrong?"),
      make("div", { class: "pf-practice-function" }, make("pre", { text: task.head })),
      place);
    let mending = null;
    const group = choices("Lines of the function", lines, place, answered, () => {
      if (mending) return;
      const reply = replies();
      mending = make("div", {}, make("p", { text: "Which line should replace it?" }),
        choices("Replacements", task.mends, reply, answered, () => answered(true, "done")), reply);
      body.append(mending);
    });
    body.querySelector(".pf-practice-function").append(group);
    return body;
  }

  function orderTheLines(task, answered) {
    const place = replies();
    const left = make("ul", { "aria-label": "Lines to choose from" });
    const chosen = make("ol", { "aria-label": "Your function, from the top" });
    const pieces = task.shuffled.map((index) => {
      const text = task.pieces[index];
      const made = make("button", { type: "button", class: "pf-code-line", value: index }, code(text));
      const item = make("li", {}, made);
      made.addEventListener("click", () => {
        const from = item.parentElement;
        const near = item.nextElementSibling ?? item.previousElementSibling;
        (from === left ? chosen : left).append(item);
        (near?.firstElementChild ?? made).focus();
        place.say(null, from === left ? `Added as number ${chosen.children.length}.` : "Taken out.");
      });
      return item;
    });
    left.append(...pieces);
    const check = () => {
      const order = [...chosen.children].map((item) => Number(item.firstElementChild.value));
      const [right, said] = judge(task, order);
      place.say(right, said);
      if (right !== null) answered(right, right ? "done" : "");
    };
    return make("div", {},
      make("p", { text: "Press the lines in the order in which they belong; a line that you press again is taken out. One line does not belong at all." }),
      make("div", { class: "pf-practice-order" },
        make("div", {}, make("p", { class: "pf-practice-label", text: "Lines" }), left),
        make("div", {}, make("p", { class: "pf-practice-label", text: "Your function" }), make("pre", { text: task.head }), chosen)),
      button("Check", check), place);
  }

  /** Whether an order of pieces is right, and what to say to it. */
  function judge(task, order) {
    const extra = task.pieces.length - 1;
    const short = (index) => `\`${task.pieces[index].split("\n")[0].trim()}\``;
    if (order.includes(extra)) {
      return [false, `The line that does not belong is among yours. To an answer with ${short(extra)}, the exercise says: “${task.extra}”`];
    }
    if (order.length < extra) {
      return [null, `Your function has ${order.length} of the ${extra} lines that it needs.`];
    }
    const at = (index) => order.indexOf(index);
    const wrong = task.pairs.find(({ first, then }) => at(first) > at(then));
    if (wrong) return [false, `${short(wrong.first)} must come before ${short(wrong.then)}, because the latter ${wrong.reply}.`];
    return [true, "In this order it does what it should."];
  }

  function whatComesOut(task, answered) {
    const place = replies();
    const id = `pf-practice-${(serial += 1)}`;
    const box = make("input", { id, autocomplete: "off", spellcheck: false, maxLength: 200, required: true });
    const form = make("form", {}, make("label", { htmlFor: id, text: "Result" }), box, make("button", { text: "Check" }));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const value = readValue(box.value);
      if (value === undefined) {
        place.say(null, "That is not a value as Python writes it, such as `3`, `[0.5, 1]` or `'cat'`.");
        return;
      }
      const found = (same) => (same(value, task.answer) ? [] : task.wrong.find(([each]) => same(value, each)));
      const known = found(equal) ?? found(alike); // [] if it is right
      const right = known?.length === 0;
      place.say(right, right ? `The call returns \`${task.shown}\`.` : known ? known[1] : "That is not what the call returns, and it is none of the usual mistakes. Go through the description once more.");
      answered(right, right ? "done" : "");
    });
    const tell = button("Show the result", () => {
      place.say(null, `The call returns \`${task.shown}\`.`);
      answered(false, "done");
    });
    form.append(tell);
    const rounded = /\d\.\d*[1-9]/.test(task.shown) ? " You may round to two decimals." : "";
    return make("div", {}, make("p", { text: `What does this call return?${rounded}` }), call(task), form, place);
  }

  // What Python writes otherwise than JSON: quotes, arrays, tuples, a few words, signs, bare points.
  const PYTHON = /'[^']*'|"[^"]*"|(?:\w+\.)?(?:array|tensor)\s*\(|[()]|\b(?:True|False|None)\b|[−–]|,\s*dtype=[\w.]+|\d+\.\d*|\.(?=\d)/g;
  const WORDS = { True: "true", False: "false", None: "null", "−": "-", "–": "-", ".": "0." };

  /** A value as people type it, with or without np.array( ), as JSON has it; undefined for anything else. */
  function readValue(text) {
    const closing = []; // what each open parenthesis is closed with: an array's own are left out
    const plain = text.trim().replace(PYTHON, (token) => {
      if (/^['"]/.test(token)) return `"${token.slice(1, -1).replaceAll('"', '\\"')}"`;
      if (token === "(") return closing.push("]") && "[";
      if (token.endsWith("(")) return closing.push("") && "";
      if (token === ")") return closing.pop() ?? "]";
      if (token.startsWith(",")) return "";
      return WORDS[token] ?? (token.endsWith(".") ? `${token}0` : token);
    }).replace(/,\s*(?=\])/g, "");
    for (const form of [plain, `[${plain}]`]) {
      try {
        return JSON.parse(form);
      } catch {
        // Not in this form.
      }
    }
    return /^[\w ]+$/.test(plain) ? plain : undefined;
  }

  /** How many brackets there are around a value's first number or text. */
  const depth = (value) => (Array.isArray(value) ? 1 + depth(value[0]) : 0);

  /** Whether two values are the same to somebody who rounds, and who may leave out the outer brackets. */
  function alike(one, other) {
    const [high, low] = depth(one) > depth(other) ? [one, other] : [other, one];
    let inner = high;
    while (depth(inner) > depth(low) && inner.length === 1) [inner] = inner;
    return equal(inner, low);
  }

  function equal(one, other) {
    if (Array.isArray(one) !== Array.isArray(other)) return false;
    if (Array.isArray(one)) return one.length === other.length && one.every((each, i) => equal(each, other[i]));
    if (typeof one === "string" || typeof other === "string") return one === other;
    return Math.abs(one - other) <= 0.01;
  }

  const drawn = { value: whatComesOut, bug: findTheBug, order: orderTheLines };
  return {
    make,
    button,
    kinds: { value: "What comes out?", bug: "Find the bug", order: "Order the lines" },
    about: (task) => make("div", { class: "pf-practice-about" }, ...about(task.about)),
    draw: (task, answered) => drawn[task.kind](task, answered),
  };
})();
