/** Something that nodeqos does, and whether it will work on the node. */
export interface DoctorWork {
  readonly id: string;
  readonly title: string;
  readonly works: 'yes' | 'partly' | 'no';
  /** The reason, as a part of a sentence. */
  readonly because: string;
}

/** What something that nodeqos does is called. */
export type Job = Pick<DoctorWork, 'id' | 'title'>;

export function yes(job: Job, because: string): DoctorWork {
  return { ...job, works: 'yes', because };
}

export function partly(job: Job, because: string): DoctorWork {
  return { ...job, works: 'partly', because };
}

export function no(job: Job, because: string): DoctorWork {
  return { ...job, works: 'no', because };
}
