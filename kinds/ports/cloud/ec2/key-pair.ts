/** Key pairs. */

export interface KeyPairActions {
  DescribeKeyPairs: [{ KeyNames?: string[] }, { KeyPairs: { KeyName: string; KeyPairId: string }[] }];
}
