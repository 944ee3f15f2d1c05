/**
 * What a role must be allowed for what an adapter sends: for each command the IAM actions that AWS checks, the command's own
 * first, then those that it checks on the way. The roles of a deployment are made from these tables, and a test compares
 * them with the commands that are sent.
 */
export type IamActions = readonly [own: string, ...others: string[]];
export type Permissions<Command extends string = string> = Readonly<Record<Command, IamActions>>;
