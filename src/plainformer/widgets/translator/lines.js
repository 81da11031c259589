// Of a search, what stands after a step: which texts go on, which have ended, and which one leads.

/** The nodes on the way to one, without the root, the first word first. */
export function path(nodes, node) {
  const found = [];
  for (let each = node; each.parent >= 0; each = nodes[each.parent]) found.unshift(each);
  return found;
}

/** How many steps a search has taken. */
export const length = ({ nodes }) => nodes.at(-1).step;

/** What was weighed at a step, with the texts that ended before it; the best first. */
export function candidates({ nodes }, step) {
  const found = nodes.filter(
    (node) => node.step > 0 && (node.step === step || (node.step < step && node.status === "finished")),
  );
  return found.sort((a, b) => b.score - a.score || a.place - b.place);
}

/** The last nodes of the texts that a step has kept, or that have ended: the first one leads. */
export const standing = (search, step) => candidates(search, step).filter(({ status }) => status !== "pruned");

/** A weight of a line's word t for a word s of the source; head null is the mean of all. */
export function weight({ looks }, line, { layer, head, heads, S }, t, s) {
  const all = looks[line[t].parent];
  const at = (h) => all[(layer * heads + h) * S + s];
  if (head !== null) return at(head);
  let sum = 0;
  for (let h = 0; h < heads; h += 1) sum += at(h);
  return sum / heads;
}
