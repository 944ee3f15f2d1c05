import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['**/*.test.ts'],
    exclude: [
      'node_modules/**',
      'test/apply/**',
      'test/clients/**',
      'test/conversion/**',
      'test/kubeadm/**',
      'test/topology/upstream.test.ts',
      'test/workload/**',
      'test/e2e/**',
      'test/gitops/**',
      '**/*.long.test.ts',
    ],
    // Tests decide by virtual time; this ends only what hangs, on the slowest machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // No test changes what another one imports, so a worker serves file after file.
    isolate: false,
    // The frames of an error that no test awaits are all that tells where it came from.
    execArgv: ['--stack-trace-limit=50'],
    // Vitest leaves one processor to itself by default: on two that is half of them.
    maxWorkers: '100%',
  },
});
