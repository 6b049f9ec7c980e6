import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { IdempotentRequest, StoredResponse } from '../../../platform/database/database';
import { parseListRequest } from '../../../platform/http/list-query';
import { IdParam, Operation } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { Principal } from '../../auth';
import { Caller, IdempotencyKey } from '../../auth/http';
import { MAX_VIEWS, SavedViews } from './saved-views.service';
import {
  CreateSavedViewRequest,
  DeletedSavedViewResponse,
  ListSavedViewsQuery,
  savedViewResponse,
  SavedViewResponse,
  SavedViewsResponse,
} from './saved-views.dto';

/** Filters of lists under a name. */
@ApiTags('Saved views')
@Controller('v1/saved-views')
export class SavedViewsController {
  constructor(private readonly views: SavedViews) {}

  @Post()
  @Operation({
    id: 'createSavedView',
    forSupport: true,
    summary: 'Save the filters of a list',
    errors: ['forbidden', 'conflict'],
    idempotent: true,
    description: `For the back office and platform systems. A user has at most ${MAX_VIEWS} views, with different names on each page (\`conflict\`).`,
    response: { type: SavedViewResponse, description: 'The new view.' },
  })
  create(
    @Caller() caller: Principal,
    @Body() { shared: isShared = false, ...view }: CreateSavedViewRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ): Promise<StoredResponse> {
    return this.views.create(caller, { ...view, isShared }, { ...request, render: savedViewResponse });
  }

  @Get()
  @Operation({
    id: 'listSavedViews',
    summary: 'List saved views',
    errors: ['forbidden'],
    description:
      'For the back office and platform systems: their own views and those that others share. Newest first.',
    response: { type: SavedViewsResponse, description: 'One page.' },
  })
  async list(@Caller() caller: Principal, @Query() query: ListSavedViewsQuery): Promise<SavedViewsResponse> {
    const { page } = parseListRequest(query);
    return cursorListResponse(await this.views.list(caller, query.page, page), savedViewResponse);
  }

  @Delete(':view_id')
  @Operation({
    id: 'deleteSavedView',
    forSupport: true,
    summary: 'Delete a saved view',
    errors: ['not_found', 'forbidden'],
    description: 'For its owner, and for admins if it is shared.',
    response: { type: DeletedSavedViewResponse, description: 'The view is deleted.' },
  })
  async delete(
    @Caller() caller: Principal,
    @IdParam('view_id', 'view', 'The id of the view.') id: string,
  ): Promise<DeletedSavedViewResponse> {
    await this.views.delete(caller, id);
    return { message: 'The saved view was deleted.', id };
  }
}
