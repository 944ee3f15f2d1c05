/** Why what a rule pack of cdk-nag finds is as it is. */
import { type Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export interface Acknowledgement {
  /** As the packs name them. */
  rules: readonly string[];
  /** Paths of constructs below their stack; those that a deployment does not have are left out. */
  of: readonly string[];
  reason: string;
}

const below = (from: IConstruct, path: string): IConstruct | undefined =>
  path.split('/').reduce<IConstruct | undefined>((found, id) => found?.node.tryFindChild(id), from);

/** Each for the constructs that it names, and no others. */
export const acknowledge = (stack: Stack, acknowledgements: readonly Acknowledgement[]): void => {
  for (const { rules, of, reason } of acknowledgements)
    for (const path of of) {
      const construct = below(stack, path);
      if (construct) Validations.of(construct).acknowledge(...rules.map((id) => ({ id, reason })));
    }
};
