/** Reasons for findings of cdk-nag's rule packs. */
import { type Stack, Validations } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

export interface Acknowledgement {
  /** Rule names of the packs. */
  rules: readonly string[];
  /** Construct paths below the stack; paths that a deployment lacks are ignored. */
  of: readonly string[];
  reason: string;
}

const below = (from: IConstruct, path: string): IConstruct | undefined =>
  path.split('/').reduce<IConstruct | undefined>((found, id) => found?.node.tryFindChild(id), from);

/** Each applies only to the constructs that it names. */
export const acknowledge = (stack: Stack, acknowledgements: readonly Acknowledgement[]): void => {
  for (const { rules, of, reason } of acknowledgements)
    for (const path of of) {
      const construct = below(stack, path);
      if (construct) Validations.of(construct).acknowledge(...rules.map((id) => ({ id, reason })));
    }
};
