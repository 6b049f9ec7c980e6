import type { FactoryProvider, InjectionToken, Type } from '@nestjs/common';

interface ExtensionPoint {
  register(member: never): void;
}

type Token<T> = Type<T> | (abstract new (...args: never[]) => T);
type Instances<Tokens extends readonly Token<unknown>[]> = {
  -readonly [Place in keyof Tokens]: Tokens[Place] extends Token<infer T> ? T : never;
};

/**
 * Registers a member of an extension point, or a periodic task, when the module that lists this provider starts.
 * @param point whose `register` takes the member
 * @param inject the providers of which `createMember` makes the member
 * @param createMember returns null where the member has nothing to do, such as emails without a mail server
 */
export function register<
  Point extends ExtensionPoint,
  const Tokens extends readonly Token<unknown>[],
  const Member extends Parameters<Point['register']>[0] | null,
>(
  point: Token<Point>,
  inject: Tokens,
  createMember: (...dependencies: Instances<Tokens>) => Member,
): FactoryProvider {
  return {
    provide: Symbol(`member of ${point.name}`),
    inject: [point, ...inject] as InjectionToken[],
    // Nest calls the hook in the order of the modules, which the order of the members follows.
    useFactory: (target: Point, ...dependencies: Instances<Tokens>) => ({
      onModuleInit: () => {
        const member = createMember(...dependencies);
        if (member !== null) target.register(member);
      },
    }),
  };
}
