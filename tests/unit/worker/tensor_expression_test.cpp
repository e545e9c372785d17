#include "backends/libtorch/tensor_expression.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "backends/libtorch/libtorch.h"
#include "backends/libtorch/operator_call.h"
#include "core/error.h"

namespace plumbline {
namespace {

const Params kParams{{"rows", std::int64_t{3}}, {"cols", std::int64_t{4}}, {"dtype", "float16"}};

struct Made {
  std::vector<std::int64_t> shape;
  DType dtype;
  Distribution distribution;
};

at::IValue value_of(const std::string& text, std::vector<Made>* made = nullptr) {
  const TensorScope scope{
      kParams,
      [made](const std::vector<std::int64_t>& shape, DType dtype, const Distribution& d) {
        if (made) made->push_back({shape, dtype, d});
        return at::ones(shape, at::TensorOptions().dtype(scalar_type(dtype)));
      },
      {{"x", at::ones({2, 2})}}};
  return evaluate_tensor(*parse_expression(text), scope);
}

std::string error_of(const std::string& text) {
  try {
    value_of(text);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(TensorExpression, GeneratorsHaveShapeTypeAndDistribution) {
  std::vector<Made> made;
  value_of("randn[rows, 2 * cols]", &made);
  value_of("randint(5, rows + 7)[cols]", &made);
  value_of("uniform(dtype=\"float32\")[]", &made);
  ASSERT_EQ(made.size(), 3u);
  EXPECT_EQ(made[0].shape, (std::vector<std::int64_t>{3, 8}));
  EXPECT_EQ(made[0].dtype, DType::float16);
  EXPECT_EQ(made[0].distribution.kind, Distribution::Kind::normal);
  EXPECT_EQ(made[1].dtype, DType::int64);
  EXPECT_EQ(made[1].distribution.high, 10);
  EXPECT_EQ(made[2].dtype, DType::float32);
  EXPECT_TRUE(made[2].shape.empty());
}

TEST(TensorExpression, ListsTakeTheTypeOfTheirItems) {
  EXPECT_EQ(value_of("[rows, 1]").toIntVector(), (std::vector<std::int64_t>{3, 1}));
  EXPECT_EQ(value_of("[0.5, 1]").toDoubleVector(), (std::vector<double>{0.5, 1}));
  EXPECT_EQ(value_of("[x, x]").toTensorVector().size(), 2u);
  EXPECT_EQ(value_of("[none, x]").toOptionalTensorVector().size(), 2u);
  EXPECT_EQ(value_of("aten::index(x, [none, aten::to(ones[1], 4)])").toTensor().numel(), 2);
  EXPECT_TRUE(value_of("none").isNone());
  EXPECT_EQ(value_of("'mean'").toStringRef(), "mean");
}

TEST(TensorExpression, OperatorsAreCalledWithKeywordsAndOverloads) {
  EXPECT_EQ(value_of("aten::sum(x, [-1], keepdim = true)").toTensor().sizes().vec(),
            (std::vector<std::int64_t>{2, 1}));
  EXPECT_EQ(value_of("aten::add.Scalar(x, 2)").toTensor().max().item<double>(), 3);
  EXPECT_TRUE(
      at::equal(value_of("aten::div(aten::exp(x), aten::exp(x))").toTensor(), at::ones({2, 2})));
}

TEST(TensorExpression, MistakesAreLocated) {
  EXPECT_EQ(error_of("rnd[3]"),
            "column 1: 'rnd' makes no tensors; allowed: uniform, rand, randn, randint(low, high), "
            "ones, zeros, arange, file('x.safetensors', 'x')");
  EXPECT_EQ(error_of("file('x.npy')[3]"), "column 1: new tensors can be declared in args only");
  EXPECT_EQ(error_of("randint[3]"), "");
  EXPECT_EQ(error_of("randn[rows / 2]"), "column 7: found 1.5, expected an integer");
  EXPECT_EQ(error_of("randn[-1]"), "column 7: this size is -1; a size is never negative");
  EXPECT_EQ(error_of("randint(3, 3)[2]"),
            "column 1: found randint(3, 3); randint needs low < high");
  EXPECT_EQ(error_of("aten::nope(x)"), "column 1: the dispatcher has no operator 'aten::nope'");
  EXPECT_TRUE(error_of("aten::add.Nope(x, 1)").find("has no overload 'Nope'; it has: ") !=
              std::string::npos);
  EXPECT_TRUE(error_of("aten::mm(x)").find("missing value for argument 'mat2'") !=
              std::string::npos);
}

TEST(OperatorCall, ANameThatIsNoArgumentIsNamedWithThoseThatAre) {
  EXPECT_EQ(error_of("aten::mm(x, mat3 = x)"),
            "column 1: the operator 'aten::mm' has no argument 'mat3'; did you mean 'mat2'? Its "
            "arguments: self, "
            "mat2, out_dtype, out");
  EXPECT_EQ(error_of("aten::add.Tensor(x, x, factor = 2)"),
            "column 1: the operator 'aten::add.Tensor' has no argument 'factor'; its arguments: "
            "self, other, "
            "alpha");
}

TEST(OperatorCall, TextsBecomeDevicesAndDtypes) {
  const OperatorCall call = bind_operator(
      "aten::ones", {},
      {{"size", c10::List<std::int64_t>({2})}, {"dtype", "float64"}, {"device", "cpu"}});
  EXPECT_EQ(tensors_in(call()).at(0).scalar_type(), at::kDouble);
}

TEST(OperatorCall, NumbersBecomeListsOfScalarsAndNoneAMissingTensor) {
  const auto list = [](double value) { return c10::List<at::Tensor>({at::full({2}, value)}); };
  for (const at::IValue& divisors :
       {at::IValue(c10::List<double>({4.0})), at::IValue(c10::List<std::int64_t>({4}))}) {
    const OperatorCall call = bind_operator("aten::_foreach_div.ScalarList", {},
                                            {{"self", list(2)}, {"scalars", divisors}});
    EXPECT_EQ(tensors_in(call()).at(0).max().item<double>(), 0.5);
  }
  EXPECT_FALSE(bind_operator("aten::add.Tensor", {at::ones({2}), {}}, {}).arguments[1].isNone());
}

TEST(OperatorCall, NamedArgumentsChooseTheOverload) {
  const at::Tensor x = at::ones({2, 3});
  const OperatorCall call =
      bind_operator("aten::sum", {}, {{"self", x}, {"dim", c10::List<std::int64_t>({1})}});
  EXPECT_EQ(call.handle.schema().overload_name(), "dim_IntList");
  EXPECT_EQ(tensors_in(call()).at(0).numel(), 2);
}

}  // namespace
}  // namespace plumbline
