// The service as it is, except that it records no events.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
require('reflect-metadata');
const { defineService } = require('../../dist/src/service/define-service.js');
const { EventRecording } = require('../../dist/src/modules/events/log/events.service.js');

EventRecording.prototype.record = () => undefined;

await defineService().main(['start']);
