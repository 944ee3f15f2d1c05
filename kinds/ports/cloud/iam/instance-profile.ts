/** Instance profiles. */
import type { Calls } from '../call.ts';

export interface InstanceProfileActions {
  /** IAM; finds a missing profile before the launch. */
  GetInstanceProfile: [
    { InstanceProfileName: string },
    { InstanceProfile: { InstanceProfileName: string; Arn: string } },
  ];
}

export const instanceProfileCalls = {
  GetInstanceProfile: {},
} as const satisfies Calls<InstanceProfileActions>;
