import { Command } from 'commander';
import type { TokenOptions } from '../token.ts';

export const tokenCommand = (): Command =>
  new Command('token')
    .description('Print a token for kubectl from your AWS credentials; a kubeconfig that login wrote runs this.')
    .requiredOption('--cluster-id <id>', 'what the token is for: the output ClusterId of the stack')
    .requiredOption('--region <name>', 'whose STS is to say who you are')
    .option('--profile <name>', "of the AWS CLI's configuration (default: $AWS_PROFILE)")
    .exitOverride()
    .action(async (options: TokenOptions) => (await import('../token.ts')).printToken(options));
