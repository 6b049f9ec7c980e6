import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import * as qrcode from 'qrcode';
import { MessageResponse } from '../../../platform/http/response-fields';
import { Operation } from '../../../platform/http/operation';
import { Principal } from '../domain/principal';
import { Caller } from '../http/caller';
import { SecondFactorEnrolments, SecondFactors } from './second-factors.service';
import {
  BeginEnrolmentRequest,
  ConfirmEnrolmentRequest,
  EnrolmentResponse,
  OtpRequest,
  RecoveryCodesResponse,
  SecondFactorResponse,
} from './second-factors.dto';

/** Grey pixels, each line encoded by its difference from the one above: half the time and size of the default. */
const QR_CODE = { type: 'image/png', rendererOpts: { colorType: 0, filterType: 2 } } as const;

/** The second factor of the caller: the user of the session, or else the account. */
@ApiTags('Authentication')
@Controller('v1/auth/otp')
export class SecondFactorsController {
  constructor(
    private readonly secondFactors: SecondFactors,
    private readonly enrolments: SecondFactorEnrolments,
  ) {}

  @Get()
  @Operation({
    id: 'getSecondFactor',
    summary: 'Retrieve the state of your second factor',
    duringEnrolment: true,
    response: { type: SecondFactorResponse, description: 'The state of the second factor.' },
  })
  async get(@Caller() caller: Principal) {
    const factor = await this.secondFactors.find(caller);
    return {
      enabled: factor?.isOn ?? false,
      confirmed_at: factor?.confirmedAt?.toISOString() ?? null,
      recovery_codes_left: factor?.recoveryCodes.length ?? 0,
    };
  }

  @Post()
  @Operation({
    id: 'enrolSecondFactor',
    forSupport: true,
    summary: 'Begin to set up a second factor',
    errors: ['invalid_credentials', 'otp_required'],
    duringEnrolment: true,
    description:
      'Returns a secret for an authenticator app. It takes effect with its confirmation. To replace a second factor, send a code of the current one as `otp`. Production requires a verified email (`forbidden`).',
    response: { type: EnrolmentResponse, description: 'The secret, which is not shown again.' },
  })
  async enrol(@Body() { password, otp }: BeginEnrolmentRequest, @Caller() caller: Principal) {
    const { secret, uri } = await this.enrolments.begin(caller, password, otp);
    return { secret, uri, qr_code: await qrcode.toDataURL(uri, QR_CODE) };
  }

  @Post('confirmation')
  @Operation({
    id: 'confirmSecondFactor',
    forSupport: true,
    summary: 'Confirm the second factor',
    errors: ['invalid_credentials', 'conflict'],
    duringEnrolment: true,
    description:
      'Switches the second factor on: logins require a code from now on, and your other sessions end.',
    response: { type: RecoveryCodesResponse, description: 'The recovery codes, which are not shown again.' },
  })
  async confirm(@Body() { otp }: ConfirmEnrolmentRequest, @Caller() caller: Principal) {
    return { recovery_codes: await this.enrolments.confirm(caller, otp) };
  }

  @Post('recovery-codes')
  @Operation({
    id: 'replaceRecoveryCodes',
    forSupport: true,
    summary: 'Replace the recovery codes',
    errors: ['invalid_credentials', 'conflict'],
    description: 'Returns new recovery codes. The previous ones no longer work.',
    response: { type: RecoveryCodesResponse, description: 'The recovery codes, which are not shown again.' },
  })
  async replaceRecoveryCodes(@Body() { otp }: OtpRequest, @Caller() caller: Principal) {
    return { recovery_codes: await this.secondFactors.replaceRecoveryCodes(caller, otp) };
  }

  @Delete()
  @Operation({
    id: 'disableSecondFactor',
    forSupport: true,
    summary: 'Switch the second factor off',
    errors: ['invalid_credentials', 'conflict'],
    description: 'Deletes the second factor and ends your other sessions.',
    response: { type: MessageResponse, description: 'The second factor is off.' },
  })
  async disable(@Body() { otp }: OtpRequest, @Caller() caller: Principal) {
    await this.secondFactors.disable(caller, otp);
    return { message: 'The second factor is off. Other sessions have ended.' };
  }
}
