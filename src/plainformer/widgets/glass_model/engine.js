// The engine, opened: until its weights can be fetched, what a page's owner hands over.

/** Promise { run, lens, tensor, stop }; onProgress(share) is told how much has come. */
export async function open(model, onProgress) {
  const make = globalThis.plainformerEngine;
  if (!make) throw new Error("this page does not carry the model's weights");
  return make(model, onProgress);
}
