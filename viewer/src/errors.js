// Tessera - parallel processing of very large meshes. MIT licence, see LICENSE.
// SPDX-License-Identifier: MIT

// Wrong data: the message is one sentence for the reader of the page.
export class SceneError extends Error {}
