import { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['post']>;
type Schema = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>[string];

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
      'Users, accounts, transactions, payment requests and subscriptions. Amounts are integers in minor units; timestamps are ISO 8601 in UTC.',
    )
    .setVersion('1')
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addServer('/')
    .addTag('Authentication', 'Sign in and out, refresh tokens, see and end sessions.')
    .addTag('Users', 'People who sign in, on their own or as members of an account.')
    .addTag('Accounts', 'What holds money: sign up, settings, closing, and the back office.')
    .addTag('Transactions', 'Payments, credits and refunds of an account.')
    .addTag('Payment requests', 'Ask a customer for a payment, and see whether it came.')
    .addTag('Subscriptions', 'Ask a customer for the same payment each day, week, month or year.')
    .addTag('Late payments', 'Money that came when its payment request could no longer take it.')
    .addTag('Health', 'For orchestrators and load balancers.')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'The access token of a login.' },
      'bearer',
    )
    .build();
  return closeRequests(SwaggerModule.createDocument(app, about));
}

/** Bodies are strict: a member that is not listed is refused, so the document says that there are no others. */
function closeRequests(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const close = (schema: Schema | undefined): void => {
    if (schema === undefined) return;
    if ('$ref' in schema) return close(schemas[schema.$ref.split('/').at(-1)!]);
    if (schema.properties === undefined) return;
    schema.additionalProperties = false;
    Object.values(schema.properties).forEach(close);
  };
  for (const path of Object.values(document.paths)) {
    for (const { requestBody } of Object.values(path) as Operation[]) {
      if (requestBody && 'content' in requestBody) close(requestBody.content['application/json']?.schema);
    }
  }
  return document;
}
