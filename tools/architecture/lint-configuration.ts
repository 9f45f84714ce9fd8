import { elements, policies, testPolicies } from "./policies.ts";

const budgets = {
  "max-lines": ["error", { max: 300, skipBlankLines: false, skipComments: false }],
  "max-lines-per-function": ["error", { max: 50, skipBlankLines: true, skipComments: true }],
  "max-params": ["error", { max: 3 }],
  complexity: ["error", { max: 12 }],
  "max-depth": ["error", { max: 3 }],
};

const boundaries = (rules: unknown) => ["error", { default: "disallow", policies: rules }];

/** What `.oxlintrc.json` holds; generated, because the file itself cannot compute. */
export const lintConfiguration = {
  $schema: "./node_modules/oxlint/configuration_schema.json",
  jsPlugins: ["eslint-plugin-boundaries"],
  plugins: ["typescript", "import", "unicorn", "oxc", "node", "vitest"],
  categories: { correctness: "error", suspicious: "error" },
  ignorePatterns: ["**/node_modules/**", "**/dist/**", "tools/architecture/bad/**", "**/*.generated.ts"],
  settings: {
    "import/resolver": { typescript: { project: "tsconfig.json" } },
    "boundaries/elements": elements,
  },
  rules: {
    ...budgets,
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
    "typescript/consistent-type-imports": "error",
    "unicorn/filename-case": ["error", { case: "kebabCase" }],
    "no-console": "error",
    "node/no-process-env": "error",
    "vitest/no-restricted-vi-methods": ["error", { mock: "Put a fake beside the port, and run its contract on it." }],
    "vitest/require-mock-type-parameters": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/no-array-reverse": "off",
    "unicorn/consistent-function-scoping": "off",
    "no-await-in-loop": "off",
    "import/no-named-as-default-member": "off",
    "typescript/no-unsafe-type-assertion": "off",
    "no-underscore-dangle": "off",
    "boundaries/no-unknown-files": "error",
    "boundaries/dependencies": boundaries(policies),
  },
  overrides: [
    {
      files: ["**/*.test.ts", "**/*.contract.ts", "**/*.fixture.ts", "apps/*/src/testing/**"],
      rules: { "boundaries/dependencies": boundaries(testPolicies), "max-lines-per-function": "off" },
    },
    {
      files: ["apps/web/**/*.tsx"],
      rules: { "max-lines-per-function": ["error", { max: 120, skipBlankLines: true }] },
    },
    { files: ["apps/web/src/main.tsx"], rules: { "import/no-unassigned-import": ["error", { allow: ["**/*.css"] }] } },
    { files: ["**/*.config.ts"], rules: { "import/no-default-export": "off", "boundaries/no-unknown-files": "off" } },
    {
      files: ["tools/**", "bench/**", "e2e/**", "**/*.int.test.ts", "**/*.contract.ts"],
      rules: { "no-console": "off" },
    },
    {
      files: ["apps/*/src/main.ts", "packages/testkit/**", "e2e/**", "tools/**", "bench/**", "**/*.test.ts"],
      rules: { "node/no-process-env": "off" },
    },
  ],
};
