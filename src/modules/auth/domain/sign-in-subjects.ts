import { Registry } from '../../../kernel/registry';
import { SubjectKind, subjectKinds } from './credential';

/** What the login's answer shows of the subject (interface 2.1, the reduced user). */
export interface SubjectSummary {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
}

interface SubjectSource {
  readonly name: SubjectKind;
  /** null when it is gone */
  describe(id: string): Promise<SubjectSummary | null>;
}

/** The port by which users and accounts, which stand above, describe who signed in. */
export class SignInSubjects extends Registry<SubjectSource> {
  constructor() {
    super('SignInSubjects', subjectKinds);
  }

  describe(kind: SubjectKind, id: string): Promise<SubjectSummary | null> {
    return this.get(kind).describe(id);
  }
}
