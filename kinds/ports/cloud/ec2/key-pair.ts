/** Key pairs. */
import type { Calls } from '../call.ts';

export interface KeyPairActions {
  DescribeKeyPairs: [{ KeyNames?: string[] }, { KeyPairs: { KeyName: string; KeyPairId: string }[] }];
}

export const keyPairCalls = {
  DescribeKeyPairs: {},
} as const satisfies Calls<KeyPairActions>;
