// Draws every task of some chapters, gives all its answers, and returns what was judged wrongly.
async (chapters) => {
  const problems = [];
  const verdict = (place) => {
    const shown = [...place.querySelectorAll(".pf-reply")].at(-1);
    return shown.classList.contains("pf-is-right") ? true
      : shown.classList.contains("pf-is-wrong") ? false : null;
  };
  let drawn = 0;
  for (const task of (await Promise.all(chapters.map(pfSession.tasksOf))).flat()) {
    drawn += 1;
    const said = [];
    const place = pfTasks.draw(task, (right, state) => said.push([right, state]));
    const expect = (right, what, text = "") => {
      const reply = [...place.querySelectorAll(".pf-reply")].at(-1).textContent;
      if (verdict(place) !== right) problems.push(`${task.id}: ${what} is judged ${verdict(place)}`);
      if (!reply.replace(/[`*]/g, "").includes(text)) problems.push(`${task.id}: ${what} is answered with ${reply}`);
    };
    if (task.kind === "value") {
      const type = (text) => {
        place.querySelector("input").value = text;
        place.querySelector("form").dispatchEvent(new Event("submit", { cancelable: true }));
      };
      type(task.shown);
      expect(true, task.shown);
      for (const [value, hint] of task.wrong) {
        type(JSON.stringify(value));
        expect(false, JSON.stringify(value), hint.replace(/[`*]/g, ""));
      }
    } else if (task.kind === "bug") {
      const lines = [...place.querySelectorAll("button.pf-code-line")];
      task.lines.map((line, i) => ({ ...line, i })).sort((a, b) => a.right - b.right).forEach((line) => {
        lines[line.i].click();
        if (!line.right) expect(false, line.text);
      });
      const mends = [...place.querySelectorAll("button.pf-code-line")].slice(lines.length);
      task.mends.map((mend, i) => ({ ...mend, i })).sort((a, b) => a.right - b.right).forEach((mend) => {
        mends[mend.i].click();
        expect(mend.right, mend.text);
      });
    } else {
      const put = (order) => {
        for (const made of place.querySelectorAll("ol button")) made.click();
        for (const i of order) place.querySelector(`ul button[value="${i}"]`).click();
        [...place.querySelectorAll("button")].find((each) => each.textContent === "Check").click();
      };
      const right = task.pieces.slice(1).map((_, i) => i);
      put(right.slice(1));
      expect(null, "an order that lacks a line");
      put([...right, right.length]);
      expect(false, "the line too many");
      for (const { first, then } of task.pairs) {
        const order = right.filter((i) => i !== first);
        order.splice(order.indexOf(then) + 1, 0, first);
        put(order);
        expect(false, `${first} after ${then}`);
      }
      put(right);
      expect(true, "the order of the reference");
    }
    if (!said.some(([right, state]) => right && state === "done")) problems.push(`${task.id}: never done`);
    if (/undefined|\[object/.test(place.textContent)) problems.push(`${task.id}: ${place.textContent}`);
  }
  return { drawn, problems };
}
