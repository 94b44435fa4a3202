import type { ToldStanding } from '../../model/agent-event.ts';

/** How evictions stand, and those for taints where there are any, as one sentence. */
export function standingText({ evictions, because, taints }: ToldStanding): string {
  const own = `evictions ${partText(evictions, because)}`;
  if (taints === undefined) return own;
  const isSame = taints.evictions === evictions && taints.because === because;
  return isSame
    ? `${own}; those for taints too`
    : `${own}; those for taints ${partText(taints.evictions, taints.because)}`;
}

function partText(evictions: ToldStanding['evictions'], because: string | undefined): string {
  const why = because === undefined ? '' : `: ${because}`;
  switch (evictions) {
    case 'on':
      return 'are real';
    case 'dry':
      return `stay dry${why}`;
    case 'off':
      return `are off${why}`;
  }
}
