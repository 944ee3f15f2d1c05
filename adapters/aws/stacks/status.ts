import { type CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { translated } from '../service/error.ts';

/** CloudFormation's status of a stack, which tells a deployment from a rollback. */
export const stackStatus = async (client: Pick<CloudFormationClient, 'send'>, StackName: string): Promise<string> => {
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    return Stacks[0]?.StackStatus ?? '';
  } catch (error) {
    throw translated(error, { action: 'cloudformation:DescribeStacks', what: `the stack ${StackName}` });
  }
};
