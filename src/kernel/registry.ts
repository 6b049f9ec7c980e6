/**
 * A port that upper modules join: the lower module declares and calls it, they bring the members.
 * Members are called in the declared order, whatever the order in which the modules came up.
 */
export class Registry<Member extends { readonly name: string }> {
  private readonly joined = new Map<string, Member>();
  private frozen = false;

  /** @param order the names of all members; each must have joined when the registry is frozen */
  constructor(
    private readonly port: string,
    private readonly order: readonly string[],
  ) {}

  join(member: Member): void {
    if (this.frozen) throw new Error(`${this.port}: "${member.name}" joined after the start.`);
    if (!this.order.includes(member.name))
      throw new Error(`${this.port}: "${member.name}" is not a declared member.`);
    if (this.joined.has(member.name)) throw new Error(`${this.port}: "${member.name}" joined twice.`);
    this.joined.set(member.name, member);
  }

  /** Ends the joining. @throws Error when a declared member is missing */
  freeze(): void {
    const missing = this.order.find((name) => !this.joined.has(name));
    if (missing !== undefined) throw new Error(`${this.port}: "${missing}" has not joined.`);
    this.frozen = true;
  }

  get members(): readonly Member[] {
    return this.order.map((name) => this.get(name));
  }

  get(name: string): Member {
    const member = this.joined.get(name);
    if (member === undefined) throw new Error(`${this.port}: "${name}" has not joined.`);
    return member;
  }
}
