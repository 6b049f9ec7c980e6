import type { Type } from '@nestjs/common';

/** What Swagger keeps about a member of a response class. */
interface MemberSchema {
  readonly type?: unknown;
  readonly items?: Reference & { readonly anyOf?: readonly Reference[] };
  readonly required?: boolean;
}
interface Reference {
  readonly $ref?: string;
}

/** Returns the names of the members of a response class, in the order of their declaration. */
export function listMembers(type: Type): string[] {
  const members = (Reflect.getMetadata('swagger/apiModelPropertiesArray', type.prototype as object) ??
    []) as string[];
  return members.map((member) => member.slice(1));
}

/** Returns the classes of which a member, or each of its items, has one; none for values without a class. */
export function classesOf(type: Type, member: string): readonly Type[] {
  const { type: declared, items } = readSchema(type, member);
  if (typeof declared === 'function' && listMembers(declared as Type).length > 0) return [declared as Type];
  const names = [items ?? {}, ...(items?.anyOf ?? [])].flatMap(({ $ref }) => $ref?.split('/').at(-1) ?? []);
  const models = (Reflect.getMetadata('swagger/apiExtraModels', type) ?? []) as readonly Type[];
  return models.filter(({ name }) => names.includes(name));
}

/** Whether an object has all members that the class requires. */
export function hasMembersOf(type: Type, object: object): boolean {
  return listMembers(type).every((member) => readSchema(type, member).required === false || member in object);
}

function readSchema(type: Type, member: string): MemberSchema {
  const schema: unknown = Reflect.getMetadata('swagger/apiModelProperties', type.prototype as object, member);
  return schema ?? {};
}
