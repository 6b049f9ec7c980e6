import { Body, Controller, Get, HttpCode, Module, Post, SetMetadata } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import { ACCESS, IdParam, Operation } from '../../../src/platform/http/operation';
import { StringField } from '../../../src/platform/http/request-fields';
import { ResponseField } from '../../../src/platform/http/response-fields';
import { documentedOperations } from '../../support/operations';
import { startTestService, TestService } from '../../support/service';
import { callers, newTally, runCalls } from './run-calls';

class Note {
  @StringField(1, 40, 'A note')
  note: string;
}

/** Documents a rule that is not checked. */
class UncheckedNote {
  @Allow()
  @ApiProperty({ type: 'string', maxLength: 4, example: 'Note' })
  note: string;
}

class PlantedResponse {
  @ResponseField({ type: 'string' })
  account_id: string;
}

const operation = (id: string) => Operation({ id, summary: `Planted: ${id}`, response: PlantedResponse });

@Controller('v1/planted')
class PlantedDefects {
  @Post('server-error')
  @operation('plantedServerError')
  fail(@Body() { note }: Note): PlantedResponse {
    if (note !== '') throw new TypeError('planted');
    return { account_id: note };
  }

  @Get('undocumented-status')
  @HttpCode(202)
  @operation('plantedUndocumentedStatus')
  accept(): PlantedResponse {
    return { account_id: 'none' };
  }

  @Get('undocumented-member')
  @operation('plantedUndocumentedMember')
  tell(): PlantedResponse {
    return { account_id: 'none', secret: 1 } as PlantedResponse;
  }

  @Post('unchecked-input')
  @operation('plantedUncheckedInput')
  swallow(@Body() _: UncheckedNote): PlantedResponse {
    return { account_id: 'none' };
  }

  @Get('open')
  @SetMetadata(ACCESS, 'public')
  @operation('plantedOpen')
  open(): PlantedResponse {
    return { account_id: 'none' };
  }

  @Get('accounts/:account_id')
  @operation('plantedForeignAccount')
  show(@IdParam('account_id', 'acc', 'The id of an account.') account_id: string): PlantedResponse {
    return { account_id };
  }
}

@Module({ controllers: [PlantedDefects] })
class PlantedModule {}

/** Proves that the generated calls find each kind of violation. */
describe('Generated calls to operations with a defect', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({}, undefined, [{ module: PlantedModule }]);
  });
  afterAll(() => service.stop());

  it.each<[string, (typeof callers)[number], RegExp]>([
    ['plantedServerError', 'an owner', /a server error/],
    ['plantedUndocumentedStatus', 'an owner', /returned 202, which is not documented/],
    ['plantedUndocumentedMember', 'an owner', /does not match the documentation/],
    ['plantedUncheckedInput', 'an owner', /an invalid call was accepted/],
    ['plantedOpen', 'an anonymous caller', /works without a valid token/],
    ['plantedOpen', 'a deleted user', /works without a valid token/],
    ['plantedOpen', 'a closed account', /works without a valid token/],
    ['plantedForeignAccount', 'a stranger', /shows an item of another account/],
  ])('report %s to %s', async (id, who, violation) => {
    const operations = (await documentedOperations(service.url)).filter((one) => one.id === id);
    expect(operations).toHaveLength(1);
    await expect(runCalls(service, operations, who, 1, newTally())).rejects.toThrow(violation);
  });
});
