/** Calls of Systems Manager Parameter Store. */
import {
  DeleteParameterCommand,
  DescribeParametersCommand,
  ListTagsForResourceCommand,
  PutParameterCommand,
  type Tag as SdkTag,
  SSMClient,
} from '@aws-sdk/client-ssm';
import type { Tag } from '../../../kinds/ports/cloud/index.ts';
import { list, nothing, number, record, text, textIfAny } from './decode.ts';
import type { ClientConfig, Operations } from './operations.ts';
import { given } from './sdk-input.ts';

export const operations = (config: ClientConfig): Operations<'ssm'> => {
  const client = new SSMClient(config);
  return {
    PutParameter: (input) => client.send(new PutParameterCommand(given(input))).then(record({ Version: number })),
    DescribeParameters: (input) =>
      client
        .send(new DescribeParametersCommand(given(input)))
        .then(record({ Parameters: list(record({ Name: text })), NextToken: textIfAny })),
    ListTagsForResource: (input) =>
      client
        .send(new ListTagsForResourceCommand(given(input)))
        .then(record({ TagList: list(record<SdkTag, Tag>({ Key: text, Value: text })) })),
    DeleteParameter: (input) => client.send(new DeleteParameterCommand(given(input))).then(nothing),
  };
};
