/**
 * A text of one run as it is in every run: times, PIDs, durations and the node's folder are named and not told. What is
 * measured comes and goes; what is decided stays.
 */
export function normalised(text: string, root: string): string {
  return text
    .replaceAll(root, 'NODE')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/\bPID \d+/g, 'PID N')
    .replace(/"pid":\d+/g, '"pid":"N"')
    .replace(/"(reactionMs|tookMs)":[\d.]+/g, '"$1":"MS"')
    .replace(/gone after [^()]+ \(/g, 'gone after MS (')
    .replace(/nodeqos \d+\.\d+\.\d+\S* starts/g, 'nodeqos VERSION starts')
    .replace(/"version":"[^"]+"/g, '"version":"VERSION"');
}
