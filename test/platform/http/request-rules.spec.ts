import {
  IsArray,
  IsIn,
  IsOptional,
  IsString,
  MaxLength,
  MinLength,
  ValidateIf,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { RequestRules } from '../../../src/platform/http/request-rules';
import { SEED } from '../../support/rounds';

class Request {
  @IsString() @MinLength(1) @MaxLength(3) name: unknown;
  @IsIn(['a', 1]) kind: unknown;
  @IsOptional() @IsString() note?: unknown;
  @ValidateIf(({ kind }: Request) => kind === 'a') @IsString() detail?: unknown;
}

class Inherited extends Request {
  @IsIn(['b']) override kind: unknown = null;
}

const values = fc.constantFrom<unknown>('a', 'b', '', 'long', 1, null, undefined, []);
const members = fc.record({ name: values, kind: values, note: values, detail: values });

describe('The rules of a request class', () => {
  it.each([Request, Inherited])('find valid what class-validator finds valid: %p', (target) => {
    let valid = 0;
    fc.assert(
      fc.property(members, (given) => {
        const instance = Object.assign(new target(), given);
        const expected = validateSync(instance, { forbidUnknownValues: false }).length === 0;
        if (expected) valid += 1;
        expect(RequestRules.of(target).areFulfilledBy(instance)).toBe(expected);
      }),
      { seed: SEED, numRuns: 2_000 },
    );
    expect(valid).toBeGreaterThan(0);
  });

  it('leave to class-validator what only it checks', () => {
    class WithList {
      @IsArray() @IsString({ each: true }) names: unknown;
    }
    const withNames = (names: unknown) => Object.assign(new WithList(), { names });
    expect(RequestRules.of(WithList).areFulfilledBy(withNames(['a']))).toBe(false);
    expect(validateSync(withNames(['a']))).toEqual([]);
    expect(validateSync(withNames([1]))).toHaveLength(1);
  });

  it('name the members of a class and of those that it extends', () => {
    class Extended extends Request {
      @IsString() more: unknown;
    }
    expect(['name', 'more', 'other'].map((name) => RequestRules.of(Extended).hasMember(name))).toEqual([
      true,
      true,
      false,
    ]);
  });
});
