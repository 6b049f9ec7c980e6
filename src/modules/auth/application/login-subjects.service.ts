import { Injectable } from '@nestjs/common';
import { Credential } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { LoginSubjects } from '../domain/login-subjects';
import { LoginSubject, SignInSubjects } from '../domain/sign-in-subjects';

@Injectable()
export class LoginSubjectsService extends LoginSubjects {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly subjects: SignInSubjects,
  ) {
    super();
  }

  async describeByEmail(key: string): Promise<LoginSubject[]> {
    const found = await this.repository.findByEmail(key);
    const ordered = found.toSorted((one, other) => one.kind.localeCompare(other.kind));
    const subjects = await Promise.all(ordered.map((credential) => this.describeAllowed(credential)));
    return subjects.filter((subject) => subject !== null);
  }

  async describe(subjectId: string): Promise<LoginSubject | null> {
    const [credential] = await this.repository.findBySubjects([subjectId]);
    return credential ? this.describeAllowed(credential) : null;
  }

  private async describeAllowed(credential: Credential): Promise<LoginSubject | null> {
    const { disabled, kind, subjectId, isEmailVerified } = credential;
    const subject = disabled ? null : await this.subjects.describe(kind, subjectId);
    if (subject === null) return null;
    const { id, email, name, language } = subject;
    return { kind, id, email, name, language, isEmailVerified };
  }
}
