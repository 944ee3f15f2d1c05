/** What Stryker may notice its mutants by: the tests that stand beside the decisions. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['kinds/**/*.test.ts', 'machinery/api/*.test.ts', 'machinery/controller/*.test.ts'],
    // Each runs a pass to its end once for every effect, and notices next to nothing that others do not.
    exclude: ['**/crash.test.ts'],
    isolate: false,
    testTimeout: 60_000,
  },
});
