import { counted } from '../human.ts';
import { type Advice, amiss, type DoctorCheck, fine, type Subject } from './check.ts';
import type { ConfigurationLook } from './facts.ts';

/** What to say of a configuration. */
export interface ConfigurationWords {
  /** Where there is none; absent: that is as good as one. */
  readonly absent?: Advice;
  /** What follows from one that is refused. */
  readonly refused: string;
}

/** How a configuration was read: a broken one is a finding like any other. */
export function configurationCheck(
  subject: Subject,
  look: ConfigurationLook,
  words: ConfigurationWords,
): DoctorCheck {
  switch (look.kind) {
    case 'valid':
      return look.warnings === 0
        ? fine(subject, `${look.file} is good`)
        : amiss(subject, 'warning', `${look.file} is taken, with ${warnings(look.warnings)}`, {
            consequence: 'something in it is surely not meant as it is read',
            remedy: 'nodeqos check says what, with line and column',
          });
    case 'absent':
      return words.absent === undefined
        ? fine(subject, `${look.place} is not there: the defaults count`)
        : amiss(subject, 'warning', `${look.place} is not there`, words.absent);
    case 'refused': {
      const more = look.more === 0 ? '' : ` (and ${look.more} more)`;
      return amiss(subject, 'missing', `${look.message}${more}`, {
        consequence: words.refused,
        remedy: 'mend the file; nodeqos check lists all that is wrong with it',
      });
    }
    case 'unreadable':
      return amiss(subject, 'missing', look.message, {
        consequence: words.refused,
        remedy: 'mend the path or its permissions',
      });
  }
}

function warnings(count: number): string {
  return counted(BigInt(count), 'warning', 'warnings');
}
