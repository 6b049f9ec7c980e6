import { isDate } from 'node:util/types';

/**
 * A lower module declares an extension point and calls its members. Upper modules register members in `onModuleInit`.
 *
 * The order of the members does not depend on the order in which modules start: required members come first, in the
 * declared order; all others follow in the order of registration.
 */
export class ExtensionPoint<Member extends { readonly name: string }> {
  private readonly registered = new Map<string, Member>();
  private frozen = false;
  private readonly pointName = this.constructor.name;

  /** @param required names of the members that must be registered before the service starts */
  constructor(private readonly required: readonly string[] = []) {}

  /** @throws Error when the extension point is frozen or the name is already registered */
  register(member: Member): void {
    if (this.frozen)
      throw new Error(
        `${this.pointName}: "${member.name}" is registered too late: register members in onModuleInit.`,
      );
    if (this.registered.has(member.name))
      throw new Error(`${this.pointName}: "${member.name}" is registered twice.`);
    this.registered.set(member.name, member);
  }

  /**
   * Closes the registration. The framework calls it when all modules have started.
   * @throws Error when a required member is missing
   */
  onApplicationBootstrap(): void {
    const missing = this.required.find((name) => !this.registered.has(name));
    if (missing !== undefined) throw new Error(`${this.pointName}: "${missing}" is not registered.`);
    this.frozen = true;
  }

  /** All members, in the order described above. @throws Error when a required member is missing */
  get members(): readonly Member[] {
    const others = [...this.registered.values()].filter(({ name }) => !this.required.includes(name));
    return [...this.required.map((name) => this.get(name)), ...others];
  }

  /** @throws Error when no member with that name is registered */
  get(name: string): Member {
    const member = this.registered.get(name);
    if (member === undefined) throw new Error(`${this.pointName}: "${name}" is not registered.`);
    return member;
  }
}

/**
 * Returns a copy of an entity for members that may only read it. Methods and getters work as on the original. In strict
 * mode an assignment to a member of the copy, also a nested one, throws a TypeError. Dates and buffers cannot be frozen:
 * a change to them stays in the copy.
 */
export function frozenCopy<T extends object>(entity: T): Readonly<T> {
  const copy = Array.isArray(entity)
    ? []
    : (Object.create(Object.getPrototypeOf(entity) as object) as object);
  for (const [name, value] of Object.entries(entity)) {
    Object.defineProperty(copy, name, { value: copyValue(value), enumerable: true });
  }
  return Object.freeze(copy) as Readonly<T>;
}

function copyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (isDate(value)) return new Date(value);
  return Buffer.isBuffer(value) ? Buffer.from(value) : frozenCopy(value);
}
