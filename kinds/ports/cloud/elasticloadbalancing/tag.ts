/** Tags of network load balancers and their parts. */
import type { Calls } from '../call.ts';
import type { Empty, Tag } from '../shared.ts';

export interface BalancingTagActions {
  DescribeLoadBalancerTags: [{ ResourceArns: string[] }, { TagDescriptions: { ResourceArn: string; Tags: Tag[] }[] }];
  AddTags: [{ ResourceArns: string[]; Tags: Tag[] }, Empty];
  RemoveTags: [{ ResourceArns: string[]; TagKeys: string[] }, Empty];
}

export const balancingTagCalls = {
  DescribeLoadBalancerTags: { iam: 'elasticloadbalancing:DescribeTags' },
  AddTags: {},
  RemoveTags: {},
} as const satisfies Calls<BalancingTagActions>;
