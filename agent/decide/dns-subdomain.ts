/** RFC 1123, as the API checks the names of most objects: labels of small letters, digits and `-`, with dots between them. */
export function isDnsSubdomain(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(name);
}
