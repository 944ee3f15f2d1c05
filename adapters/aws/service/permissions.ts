/**
 * IAM actions of the commands that an adapter sends: for each command its own action first, then those that
 * AWS checks on the way. The deployment's roles are generated from these tables, and a test compares them
 * with the sent commands.
 */
export type IamActions = readonly [own: string, ...others: string[]];
export type Permissions<Command extends string = string> = Readonly<Record<Command, IamActions>>;
