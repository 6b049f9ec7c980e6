import { countCharacters } from '../../../kernel/text';
import { CursorPageQuery } from '../../../platform/http/list-query';
import { booleanRule, EnumField, field, StringField } from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  exampleId,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import { SavedQuery, SavedView, SavedViewPage, savedViewPages } from './saved-view';

nameEnum('SavedViewPage', savedViewPages);

const MAX_FILTERS = 20;
const MAX_FILTER_CHARACTERS = 40;
const MAX_VALUE_CHARACTERS = 255;

const querySchema = {
  type: 'object',
  additionalProperties: { type: 'string', minLength: 1, maxLength: MAX_VALUE_CHARACTERS },
  minProperties: 1,
  maxProperties: MAX_FILTERS,
  example: { status: 'failed', type: 'payment' },
} as const;

const queryRule = {
  expected: `an object of 1 to ${MAX_FILTERS} filters with texts of 1 to ${MAX_VALUE_CHARACTERS} characters, and names of 1 to ${MAX_FILTER_CHARACTERS} small letters and _`,
  isValid: isQuery,
  schema: querySchema,
};

function isQuery(value: unknown): value is SavedQuery {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const filters = Object.entries(value);
  return filters.length >= 1 && filters.length <= MAX_FILTERS && filters.every(isFilter);
}

function isFilter([name, value]: [string, unknown]): boolean {
  return (
    new RegExp(`^[a-z][a-z_]{0,${MAX_FILTER_CHARACTERS - 1}}$`).test(name) &&
    typeof value === 'string' &&
    value !== '' &&
    countCharacters(value) <= MAX_VALUE_CHARACTERS
  );
}

const PAGE = 'The list of the console that is filtered.';

export class CreateSavedViewRequest {
  @EnumField(savedViewPages, { description: PAGE }) page: SavedViewPage;
  @StringField(1, 60, 'Failed payments', { visible: true }) name: string;

  @field(queryRule, { description: 'The filters, as in the address of the list.' })
  query: SavedQuery;

  @field(booleanRule, {
    optional: true,
    description: 'Whether all who see all accounts see it. By default only its owner does.',
  })
  shared?: boolean;
}

export class ListSavedViewsQuery extends CursorPageQuery('view', 'views') {
  @EnumField(savedViewPages, { optional: true, description: 'Only the views of this list.' })
  page?: SavedViewPage;
}

export class SavedViewResponse {
  @IdResponseField('view') id: string;
  @ResponseField({ enum: savedViewPages, description: PAGE }) page: SavedViewPage;
  @ResponseField({ example: 'Failed payments' }) name: string;
  @ResponseField({ ...querySchema, description: 'The filters.' }) query: SavedQuery;
  @ResponseField({ type: 'boolean', example: false }) shared: boolean;

  @ResponseField({
    example: exampleId('usr'),
    description: 'The user who saved it, who may have been deleted since.',
  })
  owner_id: string;

  @Timestamp() created_at: string;
}

export class SavedViewsResponse extends CursorListResponse(SavedViewResponse) {}

export class DeletedSavedViewResponse {
  @ResponseField({ example: 'The saved view was deleted.' }) message: string;
  @IdResponseField('view') id: string;
}

export function savedViewResponse(view: SavedView): SavedViewResponse {
  const { id, page, name, query, isShared, ownerId, createdAt } = view;
  return { id, page, name, query, shared: isShared, owner_id: ownerId, created_at: createdAt.toISOString() };
}
