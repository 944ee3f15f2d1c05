/** What IAM checks of a call. The deployment's policies are made from it. */

export interface Call {
  /** The IAM action, if it is not named after the service and the call. */
  iam?: string;
  /** IAM actions that AWS checks on the way. */
  also?: readonly string[];
  // The types of resources that IAM checks, each in one role.
  /** Created by the call, which must set this installation's tag: aws:RequestTag. */
  makes?: readonly string[];
  /** Existing, with this installation's tag: aws:ResourceTag. */
  ours?: readonly string[];
  /** Referenced only, such as an image that a user names: the call does not change them. */
  uses?: readonly string[];
}

export type Calls<Actions> = { readonly [A in keyof Actions]: Call };
