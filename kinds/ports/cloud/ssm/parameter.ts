/** Parameters of Systems Manager, which hold one-shot secrets, too. */
import type { Calls } from '../call.ts';
import type { Empty, Tag } from '../shared.ts';

export type ParameterFilter =
  | { Key: 'Name'; Option: 'BeginsWith'; Values: string[] }
  | { Key: `tag:${string}`; Option: 'Equals'; Values: string[] };
export interface ParameterActions {
  /** Systems Manager has no client token: the name prevents a duplicate. */
  PutParameter: [{ Name: string; Value: string; Type: 'SecureString'; Tags: Tag[] }, { Version: number }];
  DescribeParameters: [
    { ParameterFilters: ParameterFilter[]; NextToken?: string },
    { Parameters: { Name: string }[]; NextToken?: string },
  ];
  ListTagsForResource: [{ ResourceType: 'Parameter'; ResourceId: string }, { TagList: Tag[] }];
  DeleteParameter: [{ Name: string }, Empty];
}

export const parameterCalls = {
  PutParameter: { also: ['ssm:AddTagsToResource'] },
  DescribeParameters: {},
  ListTagsForResource: {},
  DeleteParameter: {},
} as const satisfies Calls<ParameterActions>;
