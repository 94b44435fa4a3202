/** The version of everything of nodeqos' own that is written or read as a document. */
export const API_VERSION = 'nodeqos.dev/v1alpha1';
