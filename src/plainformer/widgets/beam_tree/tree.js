// A beam search as objects, and the ranking of the texts that it finished.

const STATUSES = ["kept", "finished", "limit", "pruned"]; // as STATUSES in Python

/** The nodes of the page's data, the root first, each with its parent, children and text. */
export function plant({ nodes, words, joint, greedy }) {
  const found = [];
  const taken = new Set(greedy.path.slice(1));
  for (const [place, [id, above, step, word, logProb, score, status]] of nodes.entries()) {
    const parent = found[above] ?? null;
    const name = words[word] ?? "";
    const node = { id, place, parent, step, word: name, logProb, score, status: STATUSES[status] };
    const before = parent?.text ?? "";
    const after = step > 1 ? `${joint}${name}` : name;
    node.text = node.status === "finished" ? before : before + after;
    node.greedy = taken.has(place);
    node.whole = node.status === "finished" || node.status === "limit";
    node.children = [];
    parent?.children.push(node);
    found.push(node);
  }
  return found;
}

/** The nodes from the first after the root to this one. */
export function path(node) {
  const found = [];
  for (let at = node; at?.parent; at = at.parent) found.unshift(at);
  return found;
}

/** A sum divided by its length, or what counts as such, to the power of α. */
export const divided = (score, base, alpha) => score / base ** alpha;

/** The texts finished after so many steps, the best first: [{ node, normalised }]. */
export function ranking(nodes, lengths, step, alpha) {
  return nodes
    .filter((node) => node.whole && node.step <= step)
    .map((node) => ({ node, normalised: divided(node.score, lengths[node.step], alpha) }))
    .sort((a, b) => b.normalised - a.normalised || a.node.id - b.node.id);
}
