"""ResNet-50: an image to classes, by convolutions with residual connections.

He, Zhang, Ren, Sun, "Deep Residual Learning for Image Recognition", 2015. Version 1.5: the 3x3 convolution of a
block has the stride, not the first 1x1. With `groups` it is ResNeXt: Xie, Girshick, Dollar, Tu, He, "Aggregated
Residual Transformations for Deep Neural Networks", 2016; groups=32, width=4 is ResNeXt-50 32x4d.

Images [batch, 3, 224, 224] -> logits [batch, classes]; labels [batch], of int64.
"""

import torch.nn.functional as F
from torch import nn

STAGES = ((64, 3), (128, 4), (256, 6), (512, 3))  # (channels of a block inside, blocks)
EXPANSION = 4  # a block gives 4 times as many channels as it has inside


class Bottleneck(nn.Module):
    """[batch, inputs, h, w] -> [batch, 4 * channels, h / stride, w / stride]: 1x1, 3x3 and 1x1 convolutions, added
    to the input."""

    def __init__(self, inputs, channels, stride, groups, width):
        super().__init__()
        inside = channels * width // 64 * groups
        outputs = channels * EXPANSION
        self.conv1 = nn.Conv2d(inputs, inside, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(inside)
        self.conv2 = nn.Conv2d(inside, inside, 3, stride, padding=1, groups=groups, bias=False)
        self.norm2 = nn.BatchNorm2d(inside)
        self.conv3 = nn.Conv2d(inside, outputs, 1, bias=False)
        self.norm3 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Identity()
        if inputs != outputs or stride != 1:
            self.shortcut = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    @property
    def prunable(self):
        """[(modules that make the channels, modules that read them)]. A group needs all of its channels."""
        if self.conv2.groups > 1:
            return []
        return [((self.conv1, self.norm1), (self.conv2,)), ((self.conv2, self.norm2), (self.conv3,))]

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = F.relu(self.norm2(self.conv2(y)))
        return F.relu(self.norm3(self.conv3(y)) + self.shortcut(x))


class ResNet(nn.Module):
    def __init__(self, classes, groups, width):
        super().__init__()
        self.stem = nn.Conv2d(3, 64, 7, stride=2, padding=3, bias=False)
        self.norm = nn.BatchNorm2d(64)
        self.blocks = nn.ModuleList()
        inputs = 64
        for stage, (channels, count) in enumerate(STAGES):
            for i in range(count):
                stride = 2 if stage > 0 and i == 0 else 1
                self.blocks.append(Bottleneck(inputs, channels, stride, groups, width))
                inputs = channels * EXPANSION
        self.head = nn.Linear(inputs, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images):
        x = F.relu(self.norm(self.stem(images)))
        x = F.max_pool2d(x, 3, stride=2, padding=1)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))


def resnet50(classes=1000, groups=1, width=64):
    """ResNet-50 has 25,557,032 parameters, ResNeXt-50 32x4d 25,028,904."""
    return ResNet(classes, groups, width)


def loss(outputs, labels):
    return F.cross_entropy(outputs, labels)
