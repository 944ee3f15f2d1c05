/** Tags of resources of EC2. */
import type { Calls } from '../call.ts';
import type { Empty, Tag } from '../shared.ts';

export interface TagActions {
  CreateTags: [{ Resources: string[]; Tags: Tag[] }, Empty];
  DeleteTags: [{ Resources: string[]; Tags: { Key: string; Value?: string }[] }, Empty];
}

export const tagCalls = {
  CreateTags: {},
  DeleteTags: {},
} as const satisfies Calls<TagActions>;
