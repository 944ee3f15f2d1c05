/** Calls of the Resource Groups Tagging API. */
import {
  GetResourcesCommand,
  ResourceGroupsTaggingAPIClient,
  type ResourceTagMapping,
  type Tag as SdkTag,
} from '@aws-sdk/client-resource-groups-tagging-api';
import type { CloudOutput, Tag } from '../../../kinds/ports/cloud/index.ts';
import { list, record, text, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

const mapping = record<ResourceTagMapping, CloudOutput<'GetResources'>['ResourceTagMappingList'][number]>({
  ResourceARN: text,
  Tags: list(record<SdkTag, Tag>({ Key: text, Value: text })),
});

export const operations = (config: ClientConfig): Operations<'tag'> => {
  const client = new ResourceGroupsTaggingAPIClient(config);
  return {
    GetResources: (input) =>
      client
        .send(new GetResourcesCommand(given(input)))
        .then(record({ ResourceTagMappingList: list(mapping), PaginationToken: textIfAny })),
  };
};
