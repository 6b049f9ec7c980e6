import { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

/** Serves the OpenAPI 3.1 document at `/openapi.json` and its browsable form at `/docs`. */
export function serveOpenApi(app: NestFastifyApplication): void {
  SwaggerModule.setup('docs', app, () => createOpenApi(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
  });
}

function createOpenApi(app: NestFastifyApplication): OpenAPIObject {
  const about = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Countinghouse')
    .setDescription(
      'Users, accounts, transactions and payment requests. Amounts are integers in minor units; timestamps are ISO 8601 in UTC.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a login.' },
      'bearer',
    )
    .build();
  return SwaggerModule.createDocument(app, about);
}
