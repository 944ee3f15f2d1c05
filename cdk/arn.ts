import type { Stack } from 'aws-cdk-lib';

/** An ARN in the stack's own account and region. */
export const arnIn =
  ({ partition, region, account }: Pick<Stack, 'partition' | 'region' | 'account'>) =>
  (service: string, resource: string): string =>
    `arn:${partition}:${service}:${region}:${account}:${resource}`;
