/** `capstan completion SHELL`: a script for the shell, which calls `capstan complete` at each Tab. */
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

const setup = `
Once for a shell that is open, or in its start-up file:

  bash   source <(capstan completion bash)
  zsh    source <(capstan completion zsh)
  fish   capstan completion fish | source`;

/**
 * The library's bash script evaluates the typed words, and needs the package bash-completion, which
 * macOS lacks. This script passes them on unchanged, and also works in bash 3.2.
 */
const bash = `_capstan() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    case $line in
      :*) ;;
      *) COMPREPLY+=("\${line%%$'\\t'*}") ;;
    esac
  done < <(capstan complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _capstan capstan
`;

export const addCompletion = (program: Command): void => {
  tab(program, { completionCommandName: 'completion' });
  const command = program.commands.find((each) => each.name() === 'completion');
  command
    ?.description('Print a script that completes commands and options: bash, zsh or fish.')
    .addHelpText('after', setup)
    .hook('preAction', (_, { args: [shell] }) => {
      if (shell !== 'bash') return;
      process.stdout.write(bash);
      process.exit(0);
    });
};
