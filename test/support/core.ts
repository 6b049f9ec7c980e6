import { defineService } from '../../src/service/define-service';

/** The service without extensions. */
export const core = defineService();
export const { schema } = core;
